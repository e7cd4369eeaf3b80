`resetall
`default_nettype none

// xopt_turns: shows which of WAYS copies has the turn, with one bit per copy. A turn has WORDS words.
module xopt_turns #(
    // Number of copies; at least 2.
    parameter WAYS = 2,
    // Words in a turn; at least 1.
    parameter WORDS = 1,
    // Width of a count of these words: 2^LOG_WORDS is at least WORDS; at least 1.
    parameter LOG_WORDS = 1
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            move, // a word moves in this cycle
    output reg  [WAYS-1:0] turn
);
    initial begin
        if (WAYS < 2)
            $fatal(1, "%m: WAYS is %0d, want at least 2", WAYS);
        if (LOG_WORDS < 1 || WORDS < 1 || WORDS > 1 << LOG_WORDS)
            $fatal(1, "%m: WORDS is %0d, want 1 to 2^LOG_WORDS = %0d", WORDS, 1 << LOG_WORDS);
    end
    localparam [31:0] TOP = WORDS - 1;

    reg [LOG_WORDS-1:0] left; // words of the turn after the next word

    always @(posedge clk) begin
        if (rst) begin
            turn <= {{(WAYS-1){1'b0}}, 1'b1};
            left <= TOP[LOG_WORDS-1:0];
        end else if (move) begin
            if (left == 0) begin
                turn <= turn << 1 | turn >> WAYS - 1;
                left <= TOP[LOG_WORDS-1:0];
            end else
                left <= left - 1'b1;
        end
    end
endmodule

`resetall
