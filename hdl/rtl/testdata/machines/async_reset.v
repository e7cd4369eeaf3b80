// state: OPEN=0 CLOSED=1 LOCKED=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    wire rst_n = ~rst;
    localparam [1:0] OPEN = 2'd0, CLOSED = 2'd1, LOCKED = 2'd2;
    reg [1:0] state, next;
    always @(posedge clk or negedge rst_n)
        if (!rst_n) state <= OPEN;
        else state <= next;
    always @* begin
        next = state;
        if (state == OPEN) next = go ? CLOSED : OPEN;
        if (state == CLOSED) next = x[0] ? LOCKED : OPEN;
        if (state == LOCKED && x == 8'h5a) next = OPEN;
    end
    always @(posedge clk) if (state == LOCKED) y <= x;
endmodule
