`resetall
`default_nettype none

// xopt_gap: measures the cycles between consecutive elements at a place: the number of gaps, their minimum, maximum,
// last value and sum. For a histogram, it also outputs the bin of each gap on a scale of four bins per octave
// (xopt_octave). It also sums the products of the bins of consecutive gaps, each bin plus one. This sum yields the
// correlation of the gaps' logarithms.
//
// Gaps in which broken was high are excluded. At the reader of a queue, with broken high while the queue is empty,
// the gaps are service times.
//
// On a chain (see xopt_activity) it has eight words: the six words of xopt_value, and the sum of the products (lower
// half first).
module xopt_gap #(
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 8
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,
    input  wire        frame, // high in the last cycle of a frame
    input  wire        move, // an element passes
    input  wire        broken, // the current gap does not count
    output wire        sample, // a gap was measured, three cycles after the element
    output wire [31:0] gap, // the measured gap
    output wire        bin_valid, // bin is valid, two cycles after sample
    output wire [6:0]  bin, // the bin of the gap
    output reg         done, // the figures of a frame are at the outputs
    output wire [31:0] count,
    output wire [31:0] minimum,
    output wire [31:0] maximum,
    output wire [63:0] sum,
    output wire [63:0] products,
    input  wire        shift,
    input  wire [31:0] chain_in,
    output wire [31:0] chain_out
);
    localparam CHUNKS = 64 / CHUNK;
    initial begin
        if (CHUNK < 1 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32", CHUNK);
    end

    wire [31:0] clock;
    xopt_count clock_count (
        .clk(clk),
        .rst(rst),
        .step(1'b1),
        .count(clock)
    );

    // Both time stamps are one cycle late. The gap is two and three cycles late, its lower half first. Its bin is five
    // cycles late, and the product six cycles.
    reg seen_reg, broken_reg; // an element has passed; the current gap does not count
    reg [31:0] last_time_reg, time_reg, before_reg, gap_reg;
    reg [16:0] low_half_reg;
    reg [15:0] time_high_reg, before_high_reg;
    reg [2:0] valid_reg; // one to three cycles late
    reg [5:0] frame_reg; // one to six cycles late
    reg [7:0] last_number_reg;
    reg [15:0] product_reg;
    wire [7:0] number = {1'b0, bin} + 8'd1;
    wire [31:0] chain_between, last;
    wire values_done;
    wire [63:0] total, words;
    wire [CHUNKS-1:0] take_products;
    assign sample = valid_reg[2];
    assign gap = gap_reg;
    xopt_octave octave (
        .clk(clk),
        .rst(rst),
        .valid(sample),
        .value(gap_reg),
        .out_valid(bin_valid),
        .bin(bin)
    );
    xopt_value #(
        .WIDTH(32),
        .CHUNK(CHUNK)
    ) values (
        .clk(clk),
        .rst(rst),
        .enable(1'b1),
        .frame(frame_reg[2]),
        .move(sample),
        .value(gap_reg),
        .done(values_done),
        .count(count),
        .minimum(minimum),
        .maximum(maximum),
        .last(last),
        .sum(sum),
        .shift(shift),
        .chain_in(chain_between),
        .chain_out(chain_out)
    );
    xopt_sum #(
        .WIDTH(16),
        .CHUNK(CHUNK)
    ) add (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[5]),
        .value(product_reg),
        .total(total),
        .accept(take_products)
    );
    xopt_words #(
        .WORDS(2),
        .CHUNK(CHUNK)
    ) chain (
        .clk(clk),
        .load(take_products),
        .figures(total),
        .words(words),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_between)
    );
    assign products = words;

    always @(posedge clk) begin
        frame_reg <= {frame_reg[4:0], frame} & {6{!rst}};
        valid_reg <= {valid_reg[1:0], move && enable && seen_reg && !broken_reg && !broken} & {3{!rst}};
        if (move) begin
            time_reg <= clock;
            before_reg <= last_time_reg;
            last_time_reg <= clock;
        end
        seen_reg <= (seen_reg || move) && !rst;
        broken_reg <= (move ? 1'b0 : broken_reg || broken) && !rst;
        low_half_reg <= {1'b0, time_reg[15:0]} - {1'b0, before_reg[15:0]};
        time_high_reg <= time_reg[31:16];
        before_high_reg <= before_reg[31:16];
        gap_reg <= {time_high_reg - before_high_reg - {15'd0, low_half_reg[16]}, low_half_reg[15:0]};
        product_reg <= bin_valid ? number * last_number_reg : 16'd0;
        if (rst)
            last_number_reg <= 8'd0;
        else if (bin_valid)
            last_number_reg <= number;
        done <= take_products[CHUNKS-1];
    end
    wire unused = &{1'b0, last, values_done};
endmodule

`resetall
