`resetall
`default_nettype none

// xopt_sum: adds a number in every cycle. It adds in chunks, each one cycle after the next lower chunk, so that no
// carry passes more than CHUNK bits in a cycle.
//
// The sum of a frame includes the number of its last cycle, and is output by chunks. Chunk i of total must be stored
// when take[i] is high, i cycles after frame.
module xopt_sum #(
    // Width of a number; at least 1.
    parameter WIDTH = 16,
    // Width of the sum; a multiple of CHUNK, and at least WIDTH.
    parameter BITS = 64,
    // Maximum number of bits that a carry passes in a cycle; at least 1.
    parameter CHUNK = 16,
    // Follows from the other parameters.
    parameter CHUNKS = BITS / CHUNK
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              frame, // high in the last cycle of a frame
    input  wire [WIDTH-1:0]  value,
    output wire [BITS-1:0]   total,
    output wire [CHUNKS-1:0] accept
);
    initial begin
        if (WIDTH < 1 || WIDTH > BITS)
            $fatal(1, "%m: WIDTH is %0d, want 1 to %0d", WIDTH, BITS);
        if (CHUNK < 1 || CHUNKS * CHUNK != BITS)
            $fatal(1, "%m: CHUNK is %0d and CHUNKS %0d, want a divisor of %0d, and all of its bits", CHUNK, CHUNKS,
                BITS);
    end

    wire [BITS-1:0] extended;
    wire [CHUNKS:0] carry, frame_end; // inputs of each chunk
    assign carry[0] = 1'b0;
    assign frame_end[0] = frame;
    genvar i, j;
    generate
        if (BITS == WIDTH) begin : all
            assign extended = value;
        end else begin : part
            assign extended = {{(BITS-WIDTH){1'b0}}, value};
        end
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            // This chunk of the number, delayed like the carry from the next lower chunk.
            wire [CHUNK-1:0] delayed [0:i];
            assign delayed[0] = extended[CHUNK*i +: CHUNK];
            for (j = 0; j < i; j = j + 1) begin : delay
                reg [CHUNK-1:0] delay_reg;
                always @(posedge clk) delay_reg <= delayed[j];
                assign delayed[j+1] = delay_reg;
            end
            reg [CHUNK-1:0] sum_reg;
            reg carry_reg, frame_end_reg;
            wire [CHUNK:0] sum_next = {1'b0, sum_reg} + {1'b0, delayed[i]} + {{CHUNK{1'b0}}, carry[i]};
            always @(posedge clk) begin
                sum_reg <= rst || frame_end[i] ? {CHUNK{1'b0}} : sum_next[CHUNK-1:0];
                carry_reg <= sum_next[CHUNK] && !rst;
                frame_end_reg <= frame_end[i] && !rst;
            end
            assign carry[i+1] = carry_reg;
            assign frame_end[i+1] = frame_end_reg;
            assign total[CHUNK*i +: CHUNK] = sum_next[CHUNK-1:0];
            assign accept[i] = frame_end[i];
        end
    endgenerate
    wire unused = &{1'b0, carry[CHUNKS], frame_end[CHUNKS]};
endmodule

`resetall
