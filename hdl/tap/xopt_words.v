// xopt_words: the figures of a frame, as words of 32 bits on a chain: each cycle with shift
// moves the words of all monitors on it by one. A chunk of them is kept when its load is
// high.
module xopt_words #(
    parameter WORDS = 4,
    parameter CHUNK = 16,
    parameter CHUNKS = 32 * WORDS / CHUNK
) (
    input  wire                clk,
    input  wire [CHUNKS-1:0]   load,
    input  wire [32*WORDS-1:0] figures,
    output reg  [32*WORDS-1:0] words,
    input  wire                shift,
    input  wire [31:0]         chain_in,
    output wire [31:0]         chain_out
);
    wire [32*WORDS+31:0] moved = {chain_in, words};
    assign chain_out = words[31:0];
    integer i;
    always @(posedge clk)
        for (i = 0; i < CHUNKS; i = i + 1)
            if (load[i])
                words[CHUNK*i +: CHUNK] <= figures[CHUNK*i +: CHUNK];
            else if (shift)
                words[CHUNK*i +: CHUNK] <= moved[CHUNK*i + 32 +: CHUNK];
endmodule
