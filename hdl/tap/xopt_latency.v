// xopt_latency: how many cycles words take from one place to another that they pass in
// the same order: the time stamps of those under way wait in a queue. Where more are
// under way than it holds, the next are let pass unmeasured, and counted.
//
// On a chain (see xopt_activity) it has six words: how many were measured, least, most,
// sum, lower half first, how many were not measured.
module xopt_latency #(
    parameter LOG_DEPTH = 4, // of words under way
    parameter CHUNK = 16
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,
    input  wire        frame, // high in its last cycle
    input  wire        entry, // a word passes the first place
    input  wire        exit, // a word passes the second
    output wire        sample, // a latency has been measured
    output wire [31:0] latency, // it
    output reg         done, // the figures of a frame stand at the outputs
    output wire [31:0] count,
    output wire [31:0] least,
    output wire [31:0] most,
    output wire [63:0] sum,
    output wire [31:0] missed, // words that were not measured
    input  wire        shift,
    input  wire [31:0] chain_in,
    output wire [31:0] chain_out
);
    localparam CHUNKS = 32 / CHUNK;
    wire [31:0] now;
    xopt_count clock (.clk(clk), .rst(rst), .step(1'b1), .count(now));
    reg [31:0] stamps [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH:0] head, tail;
    // Words that passed unmeasured, behind all that are measured: nothing is stamped
    // before they have left. Two halves; up and down are of the upper one, a cycle late, and
    // none tells that it is 0.
    reg [15:0] unmeasured, unmeasured_high;
    reg up, down, none;
    wire [LOG_DEPTH:0] stored = head - tail;
    wire free = unmeasured == 0 && none && !up;
    wire keep = entry && enable && !stored[LOG_DEPTH] && free;
    wire leave = exit && stored != 0;
    wire pass = exit && stored == 0 && !free;
    wire more = entry && !keep && !pass, less = pass && !(entry && !keep);

    // One cycle late: the time stamp; two and three: the latency, its lower half first; four:
    // it is counted.
    reg [31:0] began, ended, took;
    reg [16:0] low_half;
    reg [15:0] began_high, ended_high;
    reg leaving, leaving_high, left, lost1, lost2, lost3, frame1, frame2, frame3;
    wire [31:0] number, misses, low, high;
    wire [63:0] total;
    wire [CHUNKS-1:0] take_number, take_misses;
    wire [2*CHUNKS-1:0] take;
    wire kept;
    wire [191:0] words;
    reg [31:0] added;
    reg frame4;
    xopt_sum #(.WIDTH(1), .BITS(32), .CHUNK(CHUNK)) counts (.clk(clk), .rst(rst), .frame(frame3), .value(left), .total(number), .take(take_number));
    xopt_sum #(.WIDTH(1), .BITS(32), .CHUNK(CHUNK)) losses (.clk(clk), .rst(rst), .frame(frame3), .value(lost3), .total(misses), .take(take_misses));
    xopt_sum #(.WIDTH(32), .CHUNK(CHUNK)) add (.clk(clk), .rst(rst), .frame(frame4), .value(added), .total(total), .take(take));
    xopt_extremes #(.WIDTH(32)) range (.clk(clk), .rst(rst), .frame(frame3), .valid(left), .value(took), .take(kept), .least(low), .most(high));
    xopt_words #(.WORDS(6), .CHUNK(CHUNK)) chain (.clk(clk), .load({take_misses, take, {2*CHUNKS{kept}}, take_number}), .figures({misses, total, high, low, number}), .words(words),
        .shift(shift), .chain_in(chain_in), .chain_out(chain_out));
    assign {missed, sum, most, least, count} = words;
    assign sample = left;
    assign latency = took;

    always @(posedge clk) begin
        if (keep)
            stamps[head[LOG_DEPTH-1:0]] <= now;
        if (leave)
            began <= stamps[tail[LOG_DEPTH-1:0]];
        ended <= now;
        low_half <= {1'b0, ended[15:0]} - {1'b0, began[15:0]};
        ended_high <= ended[31:16];
        began_high <= began[31:16];
        took <= {ended_high - began_high - {15'd0, low_half[16]}, low_half[15:0]};
        added <= left ? took : 32'd0;
        leaving <= leave && !rst;
        leaving_high <= leaving && !rst;
        left <= leaving_high && !rst;
        lost1 <= entry && !keep && enable && !rst;
        lost2 <= lost1 && !rst;
        lost3 <= lost2 && !rst;
        frame1 <= frame && !rst;
        frame2 <= frame1 && !rst;
        frame3 <= frame2 && !rst;
        frame4 <= frame3 && !rst;
        done <= take[2*CHUNKS-1];
        up <= more && unmeasured == 16'hffff;
        down <= less && unmeasured == 16'h0000;
        if (up) begin
            unmeasured_high <= unmeasured_high + 1'b1;
            none <= 1'b0;
        end else if (down) begin
            unmeasured_high <= unmeasured_high - 1'b1;
            none <= unmeasured_high == 1;
        end
        if (more)
            unmeasured <= unmeasured + 1'b1;
        else if (less)
            unmeasured <= unmeasured - 1'b1;
        if (keep)
            head <= head + 1'b1;
        if (leave)
            tail <= tail + 1'b1;
        if (rst) begin
            head <= 0;
            tail <= 0;
            unmeasured <= 0;
            unmeasured_high <= 0;
            up <= 1'b0;
            down <= 1'b0;
            none <= 1'b1;
        end
    end
endmodule
