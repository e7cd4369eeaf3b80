// state: IDLE=1 SEND=2 STOP=4
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam IDLE = 0, SEND = 1, STOP = 2;
    reg [2:0] state, next;
    always @(posedge clk)
        if (rst) begin
            state <= 3'b000;
            state[IDLE] <= 1'b1;
        end else
            state <= next;
    always @* begin
        next = 3'b000;
        case (1'b1)
            state[IDLE]: if (go) next[SEND] = 1'b1; else next[IDLE] = 1'b1;
            state[SEND]: next[STOP] = 1'b1;
            state[STOP]: next[IDLE] = 1'b1;
        endcase
    end
    always @(posedge clk) if (state[SEND]) y <= x;
endmodule
