`resetall
`default_nettype none

// block64: reorders the 64 words of each block. It exchanges rows and columns, or applies the zig-zag of T.81 Fig. A.6.
// It stores two blocks, and reads one block while it writes the other block. One word moves in every cycle.
module block64 #(
    // Bits of a word; at least 1.
    parameter WIDTH = 16,
    // 0 to exchange rows and columns, otherwise the zig-zag.
    parameter ZIGZAG = 0
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready,
    output reg  [WIDTH-1:0] m_axis_tdata
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, expected at least 1", WIDTH);
    end

    reg [WIDTH-1:0] memory [0:127];
    // Numbers of written and read words, modulo four blocks. A block is free after it has been read.
    reg [7:0] written, taken;
    wire [1:0] ahead = written[7:6] - taken[7:6];
    wire write = s_axis_tvalid && s_axis_tready;
    wire read = ahead != 0 && (!m_axis_tvalid || m_axis_tready);
    assign s_axis_tready = !ahead[1];

    function [5:0] zigzag(input [5:0] i);
        case (i)
            0: zigzag = 0;   1: zigzag = 1;   2: zigzag = 8;   3: zigzag = 16;
            4: zigzag = 9;   5: zigzag = 2;   6: zigzag = 3;   7: zigzag = 10;
            8: zigzag = 17;  9: zigzag = 24;  10: zigzag = 32; 11: zigzag = 25;
            12: zigzag = 18; 13: zigzag = 11; 14: zigzag = 4;  15: zigzag = 5;
            16: zigzag = 12; 17: zigzag = 19; 18: zigzag = 26; 19: zigzag = 33;
            20: zigzag = 40; 21: zigzag = 48; 22: zigzag = 41; 23: zigzag = 34;
            24: zigzag = 27; 25: zigzag = 20; 26: zigzag = 13; 27: zigzag = 6;
            28: zigzag = 7;  29: zigzag = 14; 30: zigzag = 21; 31: zigzag = 28;
            32: zigzag = 35; 33: zigzag = 42; 34: zigzag = 49; 35: zigzag = 56;
            36: zigzag = 57; 37: zigzag = 50; 38: zigzag = 43; 39: zigzag = 36;
            40: zigzag = 29; 41: zigzag = 22; 42: zigzag = 15; 43: zigzag = 23;
            44: zigzag = 30; 45: zigzag = 37; 46: zigzag = 44; 47: zigzag = 51;
            48: zigzag = 58; 49: zigzag = 59; 50: zigzag = 52; 51: zigzag = 45;
            52: zigzag = 38; 53: zigzag = 31; 54: zigzag = 39; 55: zigzag = 46;
            56: zigzag = 53; 57: zigzag = 60; 58: zigzag = 61; 59: zigzag = 54;
            60: zigzag = 47; 61: zigzag = 55; 62: zigzag = 62; default: zigzag = 63;
        endcase
    endfunction
    wire [5:0] from = ZIGZAG != 0 ? zigzag(taken[5:0]) : {taken[2:0], taken[5:3]};

    always @(posedge clk) begin
        if (write)
            memory[written[6:0]] <= s_axis_tdata;
        if (read)
            m_axis_tdata <= memory[{taken[6], from}];
        if (rst) begin
            written <= 0;
            taken <= 0;
            m_axis_tvalid <= 1'b0;
        end else begin
            if (write)
                written <= written + 1'b1;
            if (read)
                taken <= taken + 1'b1;
            if (read)
                m_axis_tvalid <= 1'b1;
            else if (m_axis_tready)
                m_axis_tvalid <= 1'b0;
        end
    end
endmodule

`resetall
