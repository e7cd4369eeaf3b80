// mode: OFF=0 ON=1
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    typedef enum logic {OFF, ON} mode_t;
    mode_t mode;
    always_ff @(posedge clk)
        if (rst) mode <= OFF;
        else case (mode)
            OFF: if (go) mode <= ON;
            ON: if (x == 8'd7) mode <= OFF;
        endcase
    always_ff @(posedge clk) if (mode == ON) y <= x;
endmodule
