// state: IDLE=0 LOAD=1 WORK=2 DONE=3
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] IDLE = 2'd0, LOAD = 2'd1, WORK = 2'd2, DONE = 2'd3;
    reg [1:0] state;
    reg [7:0] left;
    always @(posedge clk)
        if (rst)
            state <= IDLE;
        else
            case (state)
                IDLE: if (go) state <= LOAD;
                LOAD: begin
                    left <= x;
                    state <= WORK;
                end
                WORK: begin
                    left <= left - 1'b1;
                    if (left == 0)
                        state <= DONE;
                end
                DONE: begin
                    y <= x;
                    state <= IDLE;
                end
            endcase
endmodule
