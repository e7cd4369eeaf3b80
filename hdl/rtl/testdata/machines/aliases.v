// state: IDLE=0 RUN=1 DONE=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam ZERO = 0, WIDTH = 1, DEPTH = 2, LATENCY = 2;
    localparam IDLE = 0, RUN = 1, DONE = 2, FIRST = IDLE;
    reg [WIDTH:0] state;
    reg [DEPTH:0] count;
    always @(posedge clk)
        if (rst) begin
            state <= IDLE;
            count <= ZERO;
        end else
            case (state)
                IDLE: if (go) state <= RUN;
                RUN: begin
                    count <= count + 1;
                    if (count == LATENCY) state <= DONE;
                end
                DONE: begin
                    y <= x;
                    state <= IDLE;
                end
            endcase
endmodule
