// state: ?=0 ?=1 ?=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    reg [1:0] state;
    always @(posedge clk)
        if (rst) state <= 2'd0;
        else case (state)
            2'd0: if (go) state <= 2'd1;
            2'd1: state <= 2'd2;
            default: state <= 2'd0;
        endcase
    always @(posedge clk) if (state == 2'd2) y <= x;
endmodule
