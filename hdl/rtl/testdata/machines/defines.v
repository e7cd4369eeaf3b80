// state: ST_IDLE=0 ST_GO=1 ST_END=2
`define ST_IDLE 2'd0
`define ST_GO 2'd1
`define ST_END 2'd2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    reg [1:0] state;
    always @(posedge clk)
        if (rst) state <= `ST_IDLE;
        else case (state)
            `ST_IDLE: if (go) state <= `ST_GO;
            `ST_GO: state <= `ST_END;
            `ST_END: state <= `ST_IDLE;
        endcase
    always @(posedge clk) if (state == `ST_END) y <= x;
endmodule
