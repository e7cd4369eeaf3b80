`resetall
`default_nettype none

// xopt_latency: measures the number of cycles between two places that words pass in the same order. The time stamps of
// words between the two places wait in a queue. If the queue is full, further words are counted but not measured.
//
// On a chain (see xopt_activity) it has six words: measured words, minimum, maximum, sum (lower half first), unmeasured
// words.
module xopt_latency #(
    // At most 2^LOG_DEPTH words are measured at a time; at least 1.
    parameter LOG_DEPTH = 4,
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 16
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,
    input  wire        frame, // high in the last cycle of a frame
    input  wire        entry, // a word passes the first place
    input  wire        exit, // a word passes the second place
    output wire        sample, // a latency was measured
    output wire [31:0] latency, // the measured latency
    output reg         done, // the figures of a frame are at the outputs
    output wire [31:0] count,
    output wire [31:0] minimum,
    output wire [31:0] maximum,
    output wire [63:0] sum,
    output wire [31:0] missed, // words that were not measured
    input  wire        shift,
    input  wire [31:0] chain_in,
    output wire [31:0] chain_out
);
    localparam CHUNKS = 32 / CHUNK;
    initial begin
        if (LOG_DEPTH < 1)
            $fatal(1, "%m: LOG_DEPTH is %0d, want at least 1", LOG_DEPTH);
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
    reg [31:0] stamps [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH:0] write_pointer, read_pointer;

    // Unmeasured words, after all measured words. No further word gets a time stamp before they have left. The count
    // has two halves. carry and borrow are for the upper half, one cycle late.
    reg [15:0] unmeasured_low, unmeasured_high;
    reg carry_reg, borrow_reg, high_zero_reg; // unmeasured_high is 0
    wire [LOG_DEPTH:0] stamped = write_pointer - read_pointer;
    wire all_measured = unmeasured_low == 0 && high_zero_reg && !carry_reg;
    wire stamp = entry && enable && !stamped[LOG_DEPTH] && all_measured;
    wire leave_measured = exit && stamped != 0;
    wire leave_unmeasured = exit && stamped == 0 && !all_measured;
    wire increment = entry && !stamp && !leave_unmeasured;
    wire decrement = leave_unmeasured && !(entry && !stamp);

    // The time stamp is one cycle late. The latency is two and three cycles late, its lower half first. It is counted
    // four cycles late.
    reg [31:0] entry_time_reg, exit_time_reg, latency_reg;
    reg [16:0] low_half_reg;
    reg [15:0] entry_high_reg, exit_high_reg;
    reg [2:0] valid_reg, missed_reg; // one to three cycles late
    reg [3:0] frame_reg;
    reg [31:0] addend_reg;
    wire [31:0] number, misses, low, high;
    wire [63:0] total;
    wire [CHUNKS-1:0] take_number, take_misses;
    wire [2*CHUNKS-1:0] take_sum;
    wire take_extremes;
    wire [191:0] words;
    xopt_sum #(
        .WIDTH(1),
        .BITS(32),
        .CHUNK(CHUNK)
    ) count_measured (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[2]),
        .value(valid_reg[2]),
        .total(number),
        .accept(take_number)
    );
    xopt_sum #(
        .WIDTH(1),
        .BITS(32),
        .CHUNK(CHUNK)
    ) count_missed (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[2]),
        .value(missed_reg[2]),
        .total(misses),
        .accept(take_misses)
    );
    xopt_sum #(
        .WIDTH(32),
        .CHUNK(CHUNK)
    ) add (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[3]),
        .value(addend_reg),
        .total(total),
        .accept(take_sum)
    );
    xopt_extremes #(
        .WIDTH(32)
    ) extremes (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[2]),
        .valid(valid_reg[2]),
        .value(latency_reg),
        .accept(take_extremes),
        .minimum(low),
        .maximum(high)
    );
    xopt_words #(
        .WORDS(6),
        .CHUNK(CHUNK)
    ) chain (
        .clk(clk),
        .load({take_misses, take_sum, {2*CHUNKS{take_extremes}}, take_number}),
        .figures({misses, total, high, low, number}),
        .words(words),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_out)
    );
    assign {missed, sum, maximum, minimum, count} = words;
    assign sample = valid_reg[2];
    assign latency = latency_reg;

    always @(posedge clk) begin
        if (stamp)
            stamps[write_pointer[LOG_DEPTH-1:0]] <= clock;
        if (leave_measured)
            entry_time_reg <= stamps[read_pointer[LOG_DEPTH-1:0]];
        exit_time_reg <= clock;
        low_half_reg <= {1'b0, exit_time_reg[15:0]} - {1'b0, entry_time_reg[15:0]};
        exit_high_reg <= exit_time_reg[31:16];
        entry_high_reg <= entry_time_reg[31:16];
        latency_reg <= {exit_high_reg - entry_high_reg - {15'd0, low_half_reg[16]}, low_half_reg[15:0]};
        addend_reg <= valid_reg[2] ? latency_reg : 32'd0;
        valid_reg <= {valid_reg[1:0], leave_measured} & {3{!rst}};
        missed_reg <= {missed_reg[1:0], entry && !stamp && enable} & {3{!rst}};
        frame_reg <= {frame_reg[2:0], frame} & {4{!rst}};
        done <= take_sum[2*CHUNKS-1];
        carry_reg <= increment && unmeasured_low == 16'hffff;
        borrow_reg <= decrement && unmeasured_low == 16'h0000;
        if (carry_reg) begin
            unmeasured_high <= unmeasured_high + 1'b1;
            high_zero_reg <= 1'b0;
        end else if (borrow_reg) begin
            unmeasured_high <= unmeasured_high - 1'b1;
            high_zero_reg <= unmeasured_high == 1;
        end
        if (increment)
            unmeasured_low <= unmeasured_low + 1'b1;
        else if (decrement)
            unmeasured_low <= unmeasured_low - 1'b1;
        if (stamp)
            write_pointer <= write_pointer + 1'b1;
        if (leave_measured)
            read_pointer <= read_pointer + 1'b1;
        if (rst) begin
            write_pointer <= 0;
            read_pointer <= 0;
            unmeasured_low <= 0;
            unmeasured_high <= 0;
            carry_reg <= 1'b0;
            borrow_reg <= 1'b0;
            high_zero_reg <= 1'b1;
        end
    end
endmodule

`resetall
