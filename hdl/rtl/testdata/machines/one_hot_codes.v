// ring: A=1 B=2 C=4 D=8
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [3:0] A = 4'b0001, B = 4'b0010, C = 4'b0100, D = 4'b1000;
    reg [3:0] ring;
    always @(posedge clk)
        if (rst) ring <= A;
        else case (ring)
            A: ring <= go ? B : A;
            B: ring <= C;
            C: ring <= D;
            D: ring <= A;
            default: ring <= A;
        endcase
    always @(posedge clk) if (ring[2]) y <= x;
endmodule
