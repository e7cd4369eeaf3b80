// a.state: LOW=0 HIGH=1 EDGE=2 | b.state: LOW=0 HIGH=1 EDGE=2
module edges (input wire clk, input wire rst, input wire in, output wire seen);
    localparam LOW = 2'd0, HIGH = 2'd1, EDGE = 2'd2;
    reg [1:0] state;
    assign seen = state == EDGE;
    always @(posedge clk)
        if (rst) state <= LOW;
        else case (state)
            LOW: if (in) state <= EDGE;
            EDGE: state <= HIGH;
            HIGH: if (!in) state <= LOW;
            default: state <= LOW;
        endcase
endmodule
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    wire [1:0] seen;
    edges a (.clk(clk), .rst(rst), .in(go), .seen(seen[0]));
    edges b (.clk(clk), .rst(rst), .in(x[0]), .seen(seen[1]));
    always @(posedge clk) if (|seen) y <= x;
endmodule
