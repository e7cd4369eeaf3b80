`resetall
`default_nettype none

// Quantize: divides coefficients by the steps of a table (T.81 Annex K, scaled by quality as in libjpeg), rounded to
// the nearest, like quantize.c. It processes one coefficient in every cycle. A division by a step d is a multiplication
// by 2^28 / d, rounded up, which is exact for all 17-bit numbers and 11-bit steps.
module quantize #(
    // 1 to 100, in percent. Other values are limited to this range.
    parameter QUALITY = 75,
    // 0 for the table of brightness, otherwise the table of color.
    parameter CHROMA = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [15:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    // Tables are in row order, with the first entry in the highest bits.
    localparam [511:0] LUMA = {
        8'd16, 8'd11, 8'd10, 8'd16, 8'd24, 8'd40, 8'd51, 8'd61,
        8'd12, 8'd12, 8'd14, 8'd19, 8'd26, 8'd58, 8'd60, 8'd55,
        8'd14, 8'd13, 8'd16, 8'd24, 8'd40, 8'd57, 8'd69, 8'd56,
        8'd14, 8'd17, 8'd22, 8'd29, 8'd51, 8'd87, 8'd80, 8'd62,
        8'd18, 8'd22, 8'd37, 8'd56, 8'd68, 8'd109, 8'd103, 8'd77,
        8'd24, 8'd35, 8'd55, 8'd64, 8'd81, 8'd104, 8'd113, 8'd92,
        8'd49, 8'd64, 8'd78, 8'd87, 8'd103, 8'd121, 8'd120, 8'd101,
        8'd72, 8'd92, 8'd95, 8'd98, 8'd112, 8'd100, 8'd103, 8'd99};
    localparam [511:0] COLOUR = {
        8'd17, 8'd18, 8'd24, 8'd47, {4{8'd99}}, 8'd18, 8'd21, 8'd26, 8'd66, {4{8'd99}},
        8'd24, 8'd26, 8'd56, {5{8'd99}}, 8'd47, 8'd66, {38{8'd99}}};
    localparam [511:0] BASE = CHROMA != 0 ? COLOUR : LUMA;
    localparam integer GIVEN = QUALITY < 1 ? 1 : QUALITY > 100 ? 100 : QUALITY;
    localparam integer SCALE = GIVEN < 50 ? 5000 / GIVEN : 200 - 2 * GIVEN;

    // entry returns half of a step (10 bits) above its reciprocal (26 bits).
    function [35:0] entry(input integer i);
        integer step, d, r;
        begin
            step = (BASE[8*(63-i) +: 8] * SCALE + 50) / 100;
            step = step < 1 ? 1 : step > 255 ? 255 : step;
            d = 8 * step; // coefficients are multiplied by 8
            r = (268435456 + d - 1) / d;
            entry = {step[7:0], 2'b0, r[25:0]}; // d / 2 = 4 steps
        end
    endfunction
    reg [35:0] table_ [0:63];
    integer n;
    initial
        for (n = 0; n < 64; n = n + 1)
            table_[n] = entry(n);

    reg         valid0, valid1, valid2, valid3;
    reg [5:0]   i;
    reg [35:0]  entry0;
    reg [15:0]  x0;
    reg         negative1, negative2;
    reg [16:0]  size1;
    reg [25:0]  reciprocal1;
    reg [42:0]  product2;
    reg [15:0]  y3;
    wire go = !valid3 || m_axis_y_tready;
    assign s_axis_x_tready = go;
    assign m_axis_y_tvalid = valid3;
    assign m_axis_y_tdata = y3;

    wire [16:0] size0 = x0[15] ? 17'd0 - {1'b1, x0} : {1'b0, x0};
    wire [15:0] quotient2 = {1'b0, product2[42:28]};

    always @(posedge clk)
        if (rst) begin
            valid0 <= 1'b0;
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            valid3 <= 1'b0;
            i <= 0;
        end else if (go) begin
            valid0 <= s_axis_x_tvalid;
            valid1 <= valid0;
            valid2 <= valid1;
            valid3 <= valid2;
            if (s_axis_x_tvalid)
                i <= i + 1'b1;
        end
    always @(posedge clk)
        if (go) begin
            entry0 <= table_[i];
            x0 <= s_axis_x_tdata;
            negative1 <= x0[15];
            size1 <= size0 + {7'd0, entry0[35:26]};
            reciprocal1 <= entry0[25:0];
            negative2 <= negative1;
            product2 <= size1 * reciprocal1;
            y3 <= negative2 ? 16'd0 - quotient2 : quotient2;
        end
    wire unused = &{1'b0, product2[27:0]};
endmodule

`resetall
