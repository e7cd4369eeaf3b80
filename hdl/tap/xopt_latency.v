// xopt_latency: how many cycles words take from one place to another that they pass in
// the same order: the time stamps of those under way wait in a queue. Where more are
// under way than it holds, the next are let pass unmeasured, and counted.
module xopt_latency #(
    parameter WIDTH = 32, // of a latency
    parameter LOG_DEPTH = 4, // of words under way
    parameter COUNT_WIDTH = 32,
    parameter SUM_WIDTH = 48
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   enable,
    input  wire                   frame, // high in its last cycle
    input  wire                   entry, // a word passes the first place
    input  wire                   exit, // a word passes the second
    output reg                    sample, // a latency has been measured
    output reg  [WIDTH-1:0]       latency, // it
    output reg                    done, // the figures of a frame stand at the outputs
    output reg  [COUNT_WIDTH-1:0] count,
    output reg  [WIDTH-1:0]       least,
    output reg  [WIDTH-1:0]       most,
    output reg  [SUM_WIDTH-1:0]   sum,
    output reg  [COUNT_WIDTH-1:0] missed // words that were not measured
);
    reg [WIDTH-1:0] now;
    reg [WIDTH-1:0] stamps [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH:0] head, tail;
    // Words that passed unmeasured, behind all that are measured: nothing is stamped
    // before they have left.
    reg [COUNT_WIDTH-1:0] unmeasured;
    wire [LOG_DEPTH:0] stored = head - tail;
    wire keep = entry && enable && !stored[LOG_DEPTH] && unmeasured == 0;
    wire leave = exit && stored != 0;
    wire pass = exit && stored == 0 && unmeasured != 0;

    reg seen_frame, leaving;
    reg [WIDTH-1:0] began, ended;
    reg lost;
    reg [COUNT_WIDTH-1:0] counted, misses;
    reg [WIDTH-1:0] low, high;
    reg [SUM_WIDTH-1:0] total;

    wire [WIDTH-1:0] took = ended - began;
    wire [COUNT_WIDTH-1:0] new_count = counted + {{(COUNT_WIDTH-1){1'b0}}, leaving};
    wire [COUNT_WIDTH-1:0] new_misses = misses + {{(COUNT_WIDTH-1){1'b0}}, lost};
    wire [WIDTH-1:0] new_low = leaving && (counted == 0 || took < low) ? took : low;
    wire [WIDTH-1:0] new_high = leaving && (counted == 0 || took > high) ? took : high;
    wire [SUM_WIDTH-1:0] new_total = total + (leaving ? {{(SUM_WIDTH-WIDTH){1'b0}}, took} : {SUM_WIDTH{1'b0}});

    always @(posedge clk) begin
        if (keep)
            stamps[head[LOG_DEPTH-1:0]] <= now;
        if (leave)
            began <= stamps[tail[LOG_DEPTH-1:0]];
        ended <= now;
        leaving <= leave && !rst;
        lost <= entry && !keep && enable && !rst;
        seen_frame <= frame && !rst;
        sample <= leaving && !rst;
        latency <= took;
        done <= seen_frame && !rst;
        if (seen_frame) begin
            count <= new_count;
            least <= new_low;
            most <= new_high;
            sum <= new_total;
            missed <= new_misses;
        end
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
        if (rst || seen_frame) begin
            counted <= 0;
            misses <= 0;
            low <= 0;
            high <= 0;
            total <= 0;
        end else begin
            counted <= new_count;
            misses <= new_misses;
            low <= new_low;
            high <= new_high;
            total <= new_total;
        end
    end
endmodule
