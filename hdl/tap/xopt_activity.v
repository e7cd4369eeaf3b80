`resetall
`default_nettype none

// xopt_activity: counts the cycles of a frame in which words of a stream move, wait, or are absent. Moving words (valid
// and ready) show the rate and the utilization. Waiting words (valid, not ready) show the backpressure. It only
// observes the stream, one cycle late.
//
// The cycle in which frame is high is the last of its frame. done is high for one cycle when the counts of that
// frame are at the outputs. They remain until the next frame, or until they are shifted out. Each cycle with shift
// moves the words of all monitors on a chain by one (32 bits each: moved, waited, idle). Counts wrap at 2^32. No
// carry passes more than CHUNK bits in a cycle.
module xopt_activity #(
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 16
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,
    input  wire        frame,
    input  wire        valid,
    input  wire        ready,
    output reg         done,
    output wire [31:0] moved,
    output wire [31:0] waited,
    output wire [31:0] idle,
    input  wire        shift,
    input  wire [31:0] chain_in,
    output wire [31:0] chain_out
);
    localparam CHUNKS = 32 / CHUNK;
    initial begin
        if (CHUNK < 1 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32", CHUNK);
    end

    reg [2:0] event_reg; // moved, waited or idle in the previous cycle
    reg frame_reg;
    wire [95:0] total;
    wire [3*CHUNKS-1:0] accept;
    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : counts
            xopt_sum #(
                .WIDTH(1),
                .BITS(32),
                .CHUNK(CHUNK)
            ) add (
                .clk(clk),
                .rst(rst),
                .frame(frame_reg),
                .value(event_reg[i]),
                .total(total[32*i +: 32]),
                .accept(accept[CHUNKS*i +: CHUNKS])
            );
        end
    endgenerate
    xopt_words #(
        .WORDS(3),
        .CHUNK(CHUNK)
    ) chain (
        .clk(clk),
        .load(accept),
        .figures(total),
        .words({idle, waited, moved}),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_out)
    );

    always @(posedge clk) begin
        event_reg[0] <= enable && valid && ready && !rst;
        event_reg[1] <= enable && valid && !ready && !rst;
        event_reg[2] <= enable && !valid && !rst;
        frame_reg <= frame && !rst;
        done <= accept[CHUNKS-1];
    end
endmodule

`resetall
