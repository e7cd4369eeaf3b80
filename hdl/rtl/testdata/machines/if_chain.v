// st: IDLE=0 HEAD=1 BODY=2 TAIL=3
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam IDLE = 2'd0, HEAD = 2'd1, BODY = 2'd2, TAIL = 2'd3;
    reg [1:0] st;
    always @(posedge clk) begin
        if (st == IDLE && go) st <= HEAD;
        else if (st == HEAD) st <= BODY;
        else if (st == BODY && x == 8'hff) st <= TAIL;
        else if (st == TAIL) begin
            st <= IDLE;
            y <= x;
        end
        if (rst) st <= IDLE;
    end
endmodule
