`resetall
`default_nettype none

// xopt_words: the figures of a frame as 32-bit words on a chain. Each cycle with shift moves the words of all
// monitors on the chain by one. A chunk of the words is stored when its load is high.
module xopt_words #(
    // Number of 32-bit words; at least 1.
    parameter WORDS = 4,
    // Width of a chunk; a divisor of 32.
    parameter CHUNK = 16,
    // Follows from the other parameters.
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
    initial begin
        if (WORDS < 1)
            $fatal(1, "%m: WORDS is %0d, want at least 1", WORDS);
        if (CHUNK < 1 || 32 % CHUNK != 0 || CHUNKS * CHUNK != 32 * WORDS)
            $fatal(1, "%m: CHUNK is %0d and CHUNKS %0d, want a divisor of 32, and all of %0d bits", CHUNK, CHUNKS,
                32 * WORDS);
    end

    wire [32*WORDS+31:0] shifted = {chain_in, words};
    assign chain_out = words[31:0];
    integer i;
    always @(posedge clk)
        for (i = 0; i < CHUNKS; i = i + 1)
            if (load[i])
                words[CHUNK*i +: CHUNK] <= figures[CHUNK*i +: CHUNK];
            else if (shift)
                words[CHUNK*i +: CHUNK] <= shifted[CHUNK*i + 32 +: CHUNK];
endmodule

`resetall
