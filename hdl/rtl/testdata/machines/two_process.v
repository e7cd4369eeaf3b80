// now: FETCH=0 ADD=1 STORE=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam FETCH = 0, ADD = 1, STORE = 2;
    reg [1:0] now, then_;
    always @(posedge clk)
        now <= rst ? FETCH : then_;
    always @* begin
        then_ = now;
        case (now)
            FETCH: if (go) then_ = ADD;
            ADD: then_ = x[0] ? STORE : FETCH;
            default: then_ = FETCH;
        endcase
    end
    always @(posedge clk) y <= now == STORE ? x : y;
endmodule
