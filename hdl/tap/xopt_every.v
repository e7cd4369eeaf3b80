`resetall
`default_nettype none

// xopt_every: marks the last of every N words of a stream. If an element has N words, this is its last word. It
// also follows the stream while nothing is counted.
module xopt_every #(
    // Number of words; at least 1.
    parameter N = 1,
    // 2^LOG is at least N; at least 1.
    parameter LOG = 1
) (
    input  wire clk,
    input  wire rst,
    input  wire move, // a word moves
    output wire last // the moving word is the last
);
    initial begin
        if (N < 1 || LOG < 1 || (1 << LOG) < N)
            $fatal(1, "%m: N is %0d and LOG %0d, want at least 1, and 2^LOG to be N or more", N, LOG);
    end

    generate
        if (N == 1) begin : every_word
            assign last = move;
            wire unused = &{1'b0, clk, rst};
        end else begin : every_nth
            localparam [31:0] FIRST = N - 1;
            reg [LOG-1:0] left_reg; // words before the last
            reg at_last_reg;
            assign last = move && at_last_reg;
            always @(posedge clk)
                if (rst) begin
                    left_reg <= FIRST[LOG-1:0];
                    at_last_reg <= 1'b0;
                end else if (move) begin
                    left_reg <= at_last_reg ? FIRST[LOG-1:0] : left_reg - 1'b1;
                    at_last_reg <= left_reg == 1;
                end
            wire unused = &{1'b0, FIRST};
        end
    endgenerate
endmodule

`resetall
