// s: G0=0 G1=1 G2=3 G3=2
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [1:0] G0 = 2'b00, G1 = 2'b01, G2 = 2'b11, G3 = 2'b10;
    reg [1:0] s;
    always @(posedge clk)
        if (rst) s <= G0;
        else if (go)
            case (s)
                G0: s <= G1;
                G1: s <= G2;
                G2: s <= G3;
                G3: s <= G0;
            endcase
    always @(posedge clk) if (s == G2) y <= x;
endmodule
