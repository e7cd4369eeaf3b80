// none
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam LOW = 0, HIGH = 1;
    reg busy, valid;
    reg [1:0] last;
    always @(posedge clk) begin
        if (go) busy <= 1'b1;
        else if (busy && x == 8'd3) busy <= 1'b0;
        valid <= busy;
        last <= x[1:0];
        if (last == 2'd2) y <= x;
        if (rst) busy <= 1'b0;
    end
endmodule
