// xopt_latency: how many cycles words take from one place to another that they pass in
// the same order: the time stamps of those under way wait in a queue. Where more are
// under way than it holds, the next are let pass unmeasured, and counted.
//
// On a chain (see xopt_activity) it has six words: how many were measured, least, most,
// sum, lower half first, how many were not measured.
module xopt_latency #(
    parameter LOG_DEPTH = 4 // of words under way
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
    reg [31:0] now;
    reg [31:0] stamps [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH:0] head, tail;
    // Words that passed unmeasured, behind all that are measured: nothing is stamped
    // before they have left.
    reg [31:0] unmeasured;
    wire [LOG_DEPTH:0] stored = head - tail;
    wire keep = entry && enable && !stored[LOG_DEPTH] && unmeasured == 0;
    wire leave = exit && stored != 0;
    wire pass = exit && stored == 0 && unmeasured != 0;

    // One cycle late: the time stamp; two: the latency; three: it is counted.
    reg [31:0] began, ended, took;
    reg leaving, left, lost, lost2, frame1, frame2, fresh;
    reg [31:0] counted, misses, low, high;
    reg [31:0] word0, word1, word2, word3, word4, word5;
    wire [63:0] total;
    wire [3:0] take;
    xopt_sum #(.WIDTH(32), .CHUNKS(4)) add (.clk(clk), .rst(rst), .frame(frame2), .value(left ? took : 32'd0), .total(total), .take(take));

    wire [31:0] new_count = counted + {31'd0, left};
    wire [31:0] new_misses = misses + {31'd0, lost2};
    wire [31:0] new_low = left && (fresh || took < low) ? took : low;
    wire [31:0] new_high = left && (fresh || took > high) ? took : high;
    assign sample = left;
    assign latency = took;
    assign count = word0;
    assign least = word1;
    assign most = word2;
    assign sum = {word4, word3};
    assign missed = word5;
    assign chain_out = word0;

    always @(posedge clk) begin
        if (keep)
            stamps[head[LOG_DEPTH-1:0]] <= now;
        if (leave)
            began <= stamps[tail[LOG_DEPTH-1:0]];
        ended <= now;
        took <= ended - began;
        leaving <= leave && !rst;
        left <= leaving && !rst;
        lost <= entry && !keep && enable && !rst;
        lost2 <= lost && !rst;
        frame1 <= frame && !rst;
        frame2 <= frame1 && !rst;
        done <= take[3];
        if (shift) begin
            word0 <= word1;
            word1 <= word2;
            word2 <= word3;
            word3 <= word4;
            word4 <= word5;
            word5 <= chain_in;
        end
        if (frame2) begin
            word0 <= new_count;
            word1 <= new_low;
            word2 <= new_high;
            word5 <= new_misses;
        end
        if (take[0])
            word3[15:0] <= total[15:0];
        if (take[1])
            word3[31:16] <= total[31:16];
        if (take[2])
            word4[15:0] <= total[47:32];
        if (take[3])
            word4[31:16] <= total[63:48];
        if (rst) begin
            now <= 0;
            head <= 0;
            tail <= 0;
            unmeasured <= 0;
        end else begin
            now <= now + 1'b1;
            if (keep)
                head <= head + 1'b1;
            if (leave)
                tail <= tail + 1'b1;
            if (entry && !keep && !pass)
                unmeasured <= unmeasured + 1'b1;
            else if (pass && !(entry && !keep))
                unmeasured <= unmeasured - 1'b1;
        end
        if (rst || frame2) begin
            fresh <= 1'b1;
            counted <= 0;
            misses <= 0;
            low <= 0;
            high <= 0;
        end else begin
            if (left)
                fresh <= 1'b0;
            counted <= new_count;
            misses <= new_misses;
            low <= new_low;
            high <= new_high;
        end
    end
endmodule
