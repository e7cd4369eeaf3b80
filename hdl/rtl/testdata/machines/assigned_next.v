// state: IDLE=0 WORK=1 SHOW=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] IDLE = 0, WORK = 1, SHOW = 2;
    reg [1:0] state;
    wire idle = state == IDLE, work = state == WORK;
    wire [1:0] next = idle ? (go ? WORK : IDLE) : work ? SHOW : IDLE;
    always @(posedge clk) state <= rst ? IDLE : next;
    always @(posedge clk) if (state == SHOW) y <= x;
endmodule
