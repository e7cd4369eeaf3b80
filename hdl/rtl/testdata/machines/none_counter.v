// none
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam LAST = 3'd5;
    reg [2:0] count;
    always @(posedge clk)
        if (rst || count == LAST) count <= 3'd0;
        else if (go) count <= count + 1'b1;
    always @(posedge clk) if (count == LAST) y <= x;
endmodule
