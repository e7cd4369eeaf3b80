// xopt_every: the last word of each N of a stream: of an element, where one takes N words.
// It follows the stream when nothing is counted too.
module xopt_every #(
    parameter N = 1,
    parameter LOG = 1 // 2^LOG is N at least
) (
    input  wire clk,
    input  wire rst,
    input  wire move, // a word moves
    output wire last // and it is the last
);
    generate
        if (N == 1) begin : all
            assign last = move;
            wire unused = &{1'b0, clk, rst};
        end else begin : some
            localparam [LOG-1:0] MOST = N - 1;
            reg [LOG-1:0] left; // words before the last
            reg at_last;
            assign last = move && at_last;
            always @(posedge clk)
                if (rst) begin
                    left <= MOST;
                    at_last <= 1'b0;
                end else if (move) begin
                    left <= at_last ? MOST : left - 1'b1;
                    at_last <= left == 1;
                end
        end
    endgenerate
endmodule
