// state: IDLE=1 RUN=2 LAST=4
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam IDLE = 0, RUN = 1, LAST = 2;
    reg [2:0] state;
    always @(posedge clk)
        if (rst)
            state <= 3'b001;
        else begin
            state[IDLE] <= (state[IDLE] & ~go) | state[LAST];
            state[RUN] <= (state[IDLE] & go) | (state[RUN] & ~x[0]);
            state[LAST] <= state[RUN] & x[0];
        end
    always @(posedge clk) if (state[RUN]) y <= x;
endmodule
