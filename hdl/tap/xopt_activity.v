// xopt_activity: what a stream does in a frame, in cycles: words move (valid and
// ready: rate and utilization), words wait (valid, not ready: backpressure), nothing
// is there. It looks on, a cycle late, and drives neither side.
//
// The cycle in which frame is high is the last of its frame; done tells, for one
// cycle, that the counts of that frame stand at the outputs, where they stay until the
// next, or until they are shifted out: each cycle with shift moves the words of all
// monitors on a chain by one (32 bits each: moved, waited, idle). Counts of 2^32 begin
// anew.
module xopt_activity (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,
    input  wire        frame,
    input  wire        valid,
    input  wire        ready,
    output reg         done,
    output reg  [31:0] moved,
    output reg  [31:0] waited,
    output reg  [31:0] idle,
    input  wire        shift,
    input  wire [31:0] chain_in,
    output wire [31:0] chain_out
);
    reg seen_moved, seen_waited, seen_idle, seen_frame; // of the cycle before
    reg [31:0] moves, waits, idles;

    wire [31:0] more_moves = moves + {31'd0, seen_moved};
    wire [31:0] more_waits = waits + {31'd0, seen_waited};
    wire [31:0] more_idles = idles + {31'd0, seen_idle};
    assign chain_out = moved;

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
        end else if (shift) begin
            moved <= waited;
            waited <= idle;
            idle <= chain_in;
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
