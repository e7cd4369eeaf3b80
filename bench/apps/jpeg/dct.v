// DCT: the forward transform of 8 x 8 samples (T.81 A.3.3), rows and then columns, in
// fixed point, as dct.c. A sample in every cycle; a coefficient, times 8, in every cycle.
module dct (
    input  wire        clk,
    input  wire        rst,
    input  wire [7:0]  s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [15:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    wire        rows_valid, rows_ready, turned_valid, turned_ready, columns_valid, columns_ready;
    wire [14:0] rows_data, turned_data;
    wire [15:0] columns_data;

    // 128 less: the highest bit the other way round, as a signed number.
    dct8 #(.IN(8), .SUM(23), .OUT(15), .SHIFT(8)) rows (
        .clk(clk), .rst(rst),
        .s_valid(s_axis_x_tvalid), .s_ready(s_axis_x_tready), .s_data({!s_axis_x_tdata[7], s_axis_x_tdata[6:0]}),
        .m_valid(rows_valid), .m_ready(rows_ready), .m_data(rows_data));
    block64 #(.WIDTH(15)) turn (
        .clk(clk), .rst(rst),
        .s_valid(rows_valid), .s_ready(rows_ready), .s_data(rows_data),
        .m_valid(turned_valid), .m_ready(turned_ready), .m_data(turned_data));
    dct8 #(.IN(15), .SUM(31), .OUT(16), .SHIFT(15)) columns (
        .clk(clk), .rst(rst),
        .s_valid(turned_valid), .s_ready(turned_ready), .s_data(turned_data),
        .m_valid(columns_valid), .m_ready(columns_ready), .m_data(columns_data));
    block64 #(.WIDTH(16)) back (
        .clk(clk), .rst(rst),
        .s_valid(columns_valid), .s_ready(columns_ready), .s_data(columns_data),
        .m_valid(m_axis_y_tvalid), .m_ready(m_axis_y_tready), .m_data(m_axis_y_tdata));
endmodule

// dct8: the transform of 8 samples that come one by one; its 8 results leave one by one
// while the next samples come.
module dct8 #(
    parameter IN = 8, // bits of a sample, signed
    parameter SUM = 23, // bits that hold the sum
    parameter OUT = 15,
    parameter SHIFT = 8
) (
    input  wire           clk,
    input  wire           rst,
    input  wire           s_valid,
    output wire           s_ready,
    input  wire [IN-1:0]  s_data,
    output wire           m_valid,
    input  wire           m_ready,
    output wire [OUT-1:0] m_data
);
    // 8192 / 2 C(u) cos((2 j + 1) u pi / 16), rounded, from its value in the first
    // quarter of the circle.
    function signed [12:0] basis(input [2:0] u, input [2:0] j);
        reg [4:0] angle; // in pi / 16, of 32
        reg [3:0] folded;
        reg signed [12:0] size;
        begin
            angle = {1'b0, j, 1'b1} * {2'b0, u};
            folded = angle[3] ? 4'd0 - angle[3:0] : {1'b0, angle[2:0]};
            case (folded)
                0: size = u == 0 ? 13'sd2896 : 13'sd4096;
                1: size = 13'sd4017;
                2: size = 13'sd3784;
                3: size = 13'sd3406;
                4: size = 13'sd2896;
                5: size = 13'sd2276;
                6: size = 13'sd1567;
                7: size = 13'sd799;
                default: size = 13'sd0;
            endcase
            // The second and the third quarter are negative.
            basis = (angle[4] ^ angle[3]) && folded != 8 ? -size : size;
        end
    endfunction

    reg [2:0] j;
    reg       valid1, first1, last1, full;
    reg [3:0] left; // results that are still to leave
    wire load = full && (left == 0 || (left == 1 && m_ready));
    wire go = !full || load;
    assign s_ready = go;
    assign m_valid = left != 0;

    wire [8*OUT-1:0] results;
    reg  [8*OUT-1:0] leaving;
    assign m_data = leaving[OUT-1:0];

    genvar u;
    generate
        for (u = 0; u < 8; u = u + 1) begin : each
            reg signed [SUM-1:0] product, sum;
            wire signed [12:0] factor = basis(u, j);
            wire signed [IN-1:0] sample = s_data;
            wire signed [SUM-1:0] rounded = sum + (1 << (SHIFT - 1));
            always @(posedge clk)
                if (go) begin
                    product <= factor * sample;
                    if (valid1)
                        sum <= first1 ? product : sum + product;
                end
            assign results[u*OUT +: OUT] = rounded[SHIFT +: OUT];
        end
    endgenerate

    always @(posedge clk) begin
        if (load)
            leaving <= results;
        else if (m_ready)
            leaving <= {{OUT{1'b0}}, leaving[8*OUT-1:OUT]};
        if (go) begin
            first1 <= j == 0;
            last1 <= j == 7;
        end
        if (rst) begin
            j <= 0;
            valid1 <= 1'b0;
            full <= 1'b0;
            left <= 0;
        end else begin
            if (go) begin
                valid1 <= s_valid;
                full <= valid1 && last1;
                if (s_valid)
                    j <= j + 1'b1;
            end
            if (load)
                left <= 8;
            else if (m_valid && m_ready)
                left <= left - 1'b1;
        end
    end
endmodule
