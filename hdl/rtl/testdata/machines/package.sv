// state: EMPTY=0 HALF=1 FULL=2
package levels;
    typedef enum logic [1:0] {EMPTY = 0, HALF = 1, FULL = 2} level_t;
endpackage
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    levels::level_t state;
    always_ff @(posedge clk)
        if (rst) state <= levels::EMPTY;
        else case (state)
            levels::EMPTY: if (go) state <= levels::HALF;
            levels::HALF: state <= go ? levels::FULL : levels::EMPTY;
            levels::FULL: if (!go) state <= levels::HALF;
            default: state <= levels::EMPTY;
        endcase
    always_ff @(posedge clk) if (state == levels::FULL) y <= x;
endmodule
