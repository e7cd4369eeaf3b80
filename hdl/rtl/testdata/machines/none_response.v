// none
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;
    reg [1:0] resp;
    reg [7:0] shift;
    always @(posedge clk) begin
        resp <= x > 8'd100 ? SLVERR : OKAY;
        shift <= {shift[6:0], go};
        y <= {resp, shift[5:0]};
        if (rst) shift <= 8'd1;
    end
endmodule
