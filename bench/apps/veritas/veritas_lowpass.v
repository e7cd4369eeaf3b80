`resetall
`default_nettype none

// LowPass in fixed point, like fixedlowpass.c. It processes a number in every cycle.
module veritas_lowpass (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata, // 24 bits are used
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    reg [6:0] k;
    wire [6:0] folded = k <= 48 ? k : 7'd96 - k;
    reg [16:0] factor;
    always @*
        case (folded)
            0: factor = 65536; 1: factor = 65221; 2: factor = 64285; 3: factor = 62754; 4: factor = 60673;
            5: factor = 58097; 6: factor = 55098; 7: factor = 51752; 8: factor = 48143; 9: factor = 44356;
            10: factor = 40475; 11: factor = 36579; 12: factor = 32741; 13: factor = 29025; 14: factor = 25484;
            15: factor = 22160; 16: factor = 19085; 17: factor = 16279; 18: factor = 13752; 19: factor = 11506;
            20: factor = 9535; 21: factor = 7825; 22: factor = 6361; 23: factor = 5121; 24: factor = 4083;
            25: factor = 3224; 26: factor = 2522; 27: factor = 1953; 28: factor = 1498; 29: factor = 1138;
            30: factor = 857; 31: factor = 639; 32: factor = 471; 33: factor = 345; 34: factor = 249;
            35: factor = 179; 36: factor = 127; 37: factor = 89; 38: factor = 62; 39: factor = 43;
            40: factor = 29; 41: factor = 20; 42: factor = 13; 43: factor = 9; 44: factor = 6;
            45: factor = 4; 46: factor = 3; 47: factor = 2; 48: factor = 2;
            default: factor = 0;
        endcase

    reg valid1, valid2;
    reg signed [23:0] x1;
    reg signed [17:0] factor1;
    reg signed [41:0] product2;
    reg signed [41:0] sum3;
    wire go = !m_axis_y_tvalid || m_axis_y_tready;
    assign s_axis_x_tready = go;
    assign m_axis_y_tdata = {{6{sum3[41]}}, sum3[41:16]};
    always @(posedge clk) begin
        if (go) begin
            x1 <= s_axis_x_tdata[23:0];
            factor1 <= {1'b0, factor};
            product2 <= x1 * factor1;
            sum3 <= product2 + 42'sd32768;
        end
        if (rst) begin
            k <= 0;
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            m_axis_y_tvalid <= 1'b0;
        end else if (go) begin
            valid1 <= s_axis_x_tvalid;
            valid2 <= valid1;
            m_axis_y_tvalid <= valid2;
            if (s_axis_x_tvalid)
                k <= k == 95 ? 7'd0 : k + 1'b1;
        end
    end
    wire unused = &{1'b0, s_axis_x_tdata[31:24], sum3[15:0]};
endmodule

`resetall
