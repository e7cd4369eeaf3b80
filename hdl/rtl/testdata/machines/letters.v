// state: A_=65 B_=66 C_=67
module k (input wire clk, input wire rst, input wire go, input wire [7:0] x, output reg [7:0] y);
    localparam [7:0] A_ = "A", B_ = "B", C_ = "C";
    reg [7:0] state;
    always @(posedge clk)
        if (rst) state <= A_;
        else casez (state)
            A_: if (go) state <= B_;
            B_: state <= x[0] ? C_ : A_;
            C_: state <= A_;
            default: state <= A_;
        endcase
    always @(posedge clk) y <= state;
endmodule
