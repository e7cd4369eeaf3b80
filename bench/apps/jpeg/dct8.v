`resetall
`default_nettype none

// dct8: computes the transform of 8 consecutive samples. Its 8 results leave one by one while the next samples arrive.
module dct8 #(
    // Bits of a sample, signed; at least 2.
    parameter IN = 8,
    // Bits of a sum of 8 products of samples and factors of 13 bits; at least IN + 15.
    parameter SUM = 23,
    // Bits of a result; at most SUM - SHIFT.
    parameter OUT = 15,
    // Bits removed from a sum, with rounding to the nearest; at least 1.
    parameter SHIFT = 8
) (
    input  wire           clk,
    input  wire           rst,
    input  wire           s_axis_tvalid,
    output wire           s_axis_tready,
    input  wire [IN-1:0]  s_axis_tdata,
    output wire           m_axis_tvalid,
    input  wire           m_axis_tready,
    output wire [OUT-1:0] m_axis_tdata
);
    initial begin
        if (IN < 2 || SUM < IN + 15)
            $fatal(1, "%m: IN is %0d and SUM is %0d, expected IN at least 2 and SUM at least IN + 15", IN, SUM);
        if (SHIFT < 1 || OUT < 1 || OUT > SUM - SHIFT)
            $fatal(1, "%m: OUT is %0d and SHIFT is %0d, expected at least 1, and OUT at most SUM - SHIFT", OUT, SHIFT);
    end

    // basis returns 8192 / 2 C(u) cos((2 j + 1) u pi / 16), rounded. The table covers the first quarter of the circle.
    function signed [12:0] basis(input [2:0] u, input [2:0] j);
        reg [4:0] angle; // in units of pi / 16, modulo 32
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
    reg [3:0] left; // remaining results
    wire load = full && (left == 0 || (left == 1 && m_axis_tready));
    wire go = !full || load;
    assign s_axis_tready = go;
    assign m_axis_tvalid = left != 0;

    wire [8*OUT-1:0] results;
    reg  [8*OUT-1:0] leaving;
    assign m_axis_tdata = leaving[OUT-1:0];

    genvar u;
    generate
        for (u = 0; u < 8; u = u + 1) begin : each
            reg signed [SUM-1:0] product, sum;
            wire signed [12:0] factor = basis(u, j);
            wire signed [IN-1:0] sample = s_axis_tdata;
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
        else if (m_axis_tready)
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
                valid1 <= s_axis_tvalid;
                full <= valid1 && last1;
                if (s_axis_tvalid)
                    j <= j + 1'b1;
            end
            if (load)
                left <= 8;
            else if (m_axis_tvalid && m_axis_tready)
                left <= left - 1'b1;
        end
    end
endmodule

`resetall
