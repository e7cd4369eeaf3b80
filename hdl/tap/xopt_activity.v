// xopt_activity: what a stream does in a frame, in cycles: words move (valid and
// ready: rate and utilization), words wait (valid, not ready: backpressure), nothing
// is there. It looks on, a cycle late, and drives neither side.
//
// The cycle in which frame is high is the last of its frame; done tells, for one
// cycle, that the counts of that frame stand at the outputs, where they stay until the
// next. Counts stop at their largest value.
module xopt_activity #(
    parameter COUNT_WIDTH = 32
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   enable,
    input  wire                   frame,
    input  wire                   valid,
    input  wire                   ready,
    output reg                    done,
    output reg  [COUNT_WIDTH-1:0] moved,
    output reg  [COUNT_WIDTH-1:0] waited,
    output reg  [COUNT_WIDTH-1:0] idle
);
    reg seen_moved, seen_waited, seen_idle, seen_frame; // of the cycle before
    reg [COUNT_WIDTH-1:0] moves, waits, idles;

    wire [COUNT_WIDTH-1:0] more_moves = moves + {{(COUNT_WIDTH-1){1'b0}}, seen_moved && !(&moves)};
    wire [COUNT_WIDTH-1:0] more_waits = waits + {{(COUNT_WIDTH-1){1'b0}}, seen_waited && !(&waits)};
    wire [COUNT_WIDTH-1:0] more_idles = idles + {{(COUNT_WIDTH-1){1'b0}}, seen_idle && !(&idles)};

    always @(posedge clk) begin
        seen_moved <= enable && valid && ready && !rst;
        seen_waited <= enable && valid && !ready && !rst;
        seen_idle <= enable && !valid && !rst;
        seen_frame <= frame && !rst;
        done <= seen_frame && !rst;
        if (seen_frame) begin
            moved <= more_moves;
            waited <= more_waits;
            idle <= more_idles;
        end
        if (rst || seen_frame) begin
            moves <= 0;
            waits <= 0;
            idles <= 0;
        end else begin
            moves <= more_moves;
            waits <= more_waits;
            idles <= more_idles;
        end
    end
endmodule
