// state: STOP=0 RUN=1 HALT=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] STOP = 0, RUN = 1, HALT = 2;
    reg [1:0] state;
    always @(posedge clk)
        state <= rst ? STOP : state == STOP ? (go ? RUN : STOP) : state == RUN ? (x[7] ? HALT : RUN) : state;
    always @(posedge clk) if (state == RUN) y <= x;
endmodule
