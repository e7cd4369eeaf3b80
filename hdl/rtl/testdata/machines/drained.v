// mode: PASSING=0 DRAINING=1
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam PASSING = 1'b0, DRAINING = 1'b1;
    reg mode;
    always @(posedge clk)
        if (rst) mode <= PASSING;
        else if (mode == PASSING) begin
            if (go) mode <= DRAINING;
        end else if (x == 0)
            mode <= PASSING;
    always @(posedge clk) if (mode == DRAINING) y <= x;
endmodule
