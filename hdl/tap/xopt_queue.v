`resetall
`default_nettype none

// xopt_queue: measures the occupancy of a queue in a frame, from its inputs and outputs. The figures are the minimum,
// the maximum, and the sum over cycles, which is the mean times the number of cycles. Words that are in the queue at
// the end of a frame are in it at the start of the next frame.
//
// On a chain (see xopt_activity) it has four words: minimum, maximum, sum (lower half first).
module xopt_queue #(
    // Width of an occupancy; 1 to 31.
    parameter WIDTH = 16,
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             enable,
    input  wire             frame, // high in the last cycle of a frame
    input  wire             enqueue,
    input  wire             dequeue,
    output reg  [WIDTH-1:0] occupancy, // occupancy after the previous cycle
    output reg              done, // the figures of a frame are at the outputs
    output wire [WIDTH-1:0] minimum,
    output wire [WIDTH-1:0] maximum,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    localparam CHUNKS = 64 / CHUNK;
    initial begin
        if (WIDTH < 1 || WIDTH > 31)
            $fatal(1, "%m: WIDTH is %0d, want 1 to 31", WIDTH);
        if (CHUNK < 1 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32", CHUNK);
    end

    reg enable_reg; // occupancy is counted
    reg [1:0] frame_reg; // one and two cycles late
    reg [WIDTH-1:0] addend_reg;
    wire [63:0] total;
    wire [CHUNKS-1:0] take_sum;
    wire take_extremes;
    wire [WIDTH-1:0] low, high;
    wire [127:0] words;
    xopt_sum #(
        .WIDTH(WIDTH),
        .CHUNK(CHUNK)
    ) add (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[1]),
        .value(addend_reg),
        .total(total),
        .accept(take_sum)
    );
    xopt_extremes #(
        .WIDTH(WIDTH)
    ) extremes (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[0]),
        .valid(enable_reg),
        .value(occupancy),
        .accept(take_extremes),
        .minimum(low),
        .maximum(high)
    );
    xopt_words #(
        .WORDS(4),
        .CHUNK(CHUNK)
    ) chain (
        .clk(clk),
        .load({take_sum, {CHUNKS{take_extremes}}}),
        .figures({total, {(32-WIDTH){1'b0}}, high, {(32-WIDTH){1'b0}}, low}),
        .words(words),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_out)
    );
    assign minimum = words[WIDTH-1:0];
    assign maximum = words[32 +: WIDTH];
    assign sum = words[127:64];

    always @(posedge clk) begin
        // The occupancy is also tracked while nothing is counted.
        if (rst)
            occupancy <= 0;
        else if (enqueue && !dequeue)
            occupancy <= occupancy + 1'b1;
        else if (dequeue && !enqueue)
            occupancy <= occupancy - 1'b1;
        enable_reg <= enable && !rst;
        addend_reg <= enable_reg ? occupancy : {WIDTH{1'b0}};
        frame_reg <= {frame_reg[0], frame} & {2{!rst}};
        done <= take_sum[CHUNKS-1];
    end
    wire unused = &{1'b0, words};
endmodule

`resetall
