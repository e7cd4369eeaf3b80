// state_q: IDLE=0 BUSY=1 WAITING=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    typedef enum logic [1:0] {IDLE, BUSY, WAITING} state_t;
    state_t state_q, state_d;
    always_ff @(posedge clk)
        if (rst) state_q <= IDLE;
        else state_q <= state_d;
    always_comb begin
        state_d = state_q;
        unique case (state_q)
            IDLE: if (go) state_d = BUSY;
            BUSY: state_d = WAITING;
            WAITING: if (!x[3]) state_d = IDLE;
            default: state_d = IDLE;
        endcase
    end
    always_ff @(posedge clk) if (state_q == WAITING) y <= x;
endmodule
