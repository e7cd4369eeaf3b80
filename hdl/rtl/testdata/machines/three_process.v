// state: S_WAIT=0 S_READ=1 S_WRITE=3
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    parameter S_WAIT = 2'b00, S_READ = 2'b01, S_WRITE = 2'b11;
    reg [1:0] state, next;
    always @(posedge clk or posedge rst)
        if (rst) state <= S_WAIT;
        else state <= next;
    always @(state or go or x)
        case (state)
            S_WAIT: next = go ? S_READ : S_WAIT;
            S_READ: next = S_WRITE;
            S_WRITE: if (x[1]) next = S_WAIT; else next = S_WRITE;
            default: next = 2'bx;
        endcase
    always @(posedge clk) begin
        y <= 8'd0;
        case (next)
            S_READ: y <= x;
            S_WRITE: y <= ~x;
        endcase
    end
endmodule
