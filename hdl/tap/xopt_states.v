`resetall
`default_nettype none

// xopt_states: counts the cycles of a frame that a state machine spends in each of its states, in the
// block RAM of a histogram (see xopt_histogram): no cycle is lost, also when the state changes in every
// cycle, and when frames change. It looks on, a cycle late, and drives nothing.
//
// The state of number i, counted from 0, has the code CODES[WIDTH*i +: WIDTH]; what is none of them is
// counted in the bin behind the last. Bins are read as those of xopt_histogram are.
module xopt_states #(
    // Bits of the register; at least 1.
    parameter WIDTH = 2,
    // States that are known; fewer than 2^BIN_BITS.
    parameter STATES = 2,
    // Their codes, the first in the lowest bits; any others will do.
    parameter [WIDTH*STATES-1:0] CODES = {WIDTH*STATES{1'b0}},
    // There are 2^BIN_BITS bins; at least 1.
    parameter BIN_BITS = 5,
    // Bits of a count that are added in a cycle; a divisor of 32, at least 4.
    parameter CHUNK = 16
) (
    input  wire                clk,
    input  wire                rst, // held for 2^BIN_BITS cycles and some, it clears the counts
    input  wire                enable,
    input  wire                frame, // high in its last cycle
    input  wire [WIDTH-1:0]    state,
    output wire                done,
    output wire                overrun,
    input  wire                read,
    input  wire [BIN_BITS-1:0] read_bin,
    output wire                read_valid,
    output wire [31:0]         read_count
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (CHUNK < 4 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32, of at least 4", CHUNK);
        if (STATES < 1 || STATES >= (1 << BIN_BITS))
            $fatal(1, "%m: STATES is %0d, want 1 to %0d", STATES, (1 << BIN_BITS) - 1);
    end

    reg [WIDTH-1:0] state_reg;
    reg [BIN_BITS-1:0] number, number_reg;
    reg enable_reg, sample_reg, frame_reg, last_reg;
    integer i;
    always @* begin
        number = STATES;
        for (i = 0; i < STATES; i = i + 1)
            if (state_reg == CODES[WIDTH*i +: WIDTH])
                number = i;
    end
    always @(posedge clk) begin
        state_reg <= state;
        number_reg <= number;
        enable_reg <= enable && !rst;
        sample_reg <= enable_reg && !rst;
        frame_reg <= frame && !rst;
        last_reg <= frame_reg && !rst;
    end
    xopt_histogram #(
        .BIN_BITS(BIN_BITS),
        .CHUNK(CHUNK)
    ) counts (
        .clk(clk),
        .rst(rst),
        .frame(last_reg),
        .sample(sample_reg),
        .bin(number_reg),
        .done(done),
        .overrun(overrun),
        .read(read),
        .read_bin(read_bin),
        .read_valid(read_valid),
        .read_count(read_count)
    );
endmodule

`resetall
