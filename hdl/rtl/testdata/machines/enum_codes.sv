// state: FIRST=3 SECOND=5 THIRD=9
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    typedef enum logic [3:0] {FIRST = 4'd3, SECOND = 4'd5, THIRD = 4'd9} state_t;
    state_t state;
    always_ff @(posedge clk)
        if (rst)
            state <= FIRST;
        else if (state == FIRST) begin
            if (go) state <= SECOND;
        end else if (state == SECOND)
            state <= THIRD;
        else
            state <= FIRST;
    always_ff @(posedge clk) y <= state == THIRD ? x : 8'd0;
endmodule
