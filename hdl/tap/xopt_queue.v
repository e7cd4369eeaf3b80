// xopt_queue: how full a queue is in a frame, from what goes in and comes out: least,
// most, and the sum over cycles, which is the mean times the cycles. Words that are in
// the queue when a frame ends are in it when the next begins.
module xopt_queue #(
    parameter WIDTH = 16, // of an occupancy
    parameter SUM_WIDTH = 48
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 enable,
    input  wire                 frame, // high in its last cycle
    input  wire                 enqueue,
    input  wire                 dequeue,
    output reg  [WIDTH-1:0]     occupancy, // after the cycle before
    output reg                  done, // the figures of a frame stand at the outputs
    output reg  [WIDTH-1:0]     least,
    output reg  [WIDTH-1:0]     most,
    output reg  [SUM_WIDTH-1:0] sum
);
    reg counts, seen_frame, fresh; // fresh: the first cycle of a frame that counts
    reg [WIDTH-1:0] low, high;
    reg [SUM_WIDTH-1:0] total;

    wire [WIDTH-1:0] new_low = fresh || occupancy < low ? occupancy : low;
    wire [WIDTH-1:0] new_high = fresh || occupancy > high ? occupancy : high;
    wire [SUM_WIDTH-1:0] new_total = total + {{(SUM_WIDTH-WIDTH){1'b0}}, occupancy};

    always @(posedge clk) begin
        // The queue is followed when nothing is counted too.
        if (rst)
            occupancy <= 0;
        else if (enqueue && !dequeue)
            occupancy <= occupancy + 1'b1;
        else if (dequeue && !enqueue)
            occupancy <= occupancy - 1'b1;
        counts <= enable && !rst;
        seen_frame <= frame && !rst;
        done <= seen_frame && !rst;
        if (seen_frame) begin
            least <= counts ? new_low : low;
            most <= counts ? new_high : high;
            sum <= counts ? new_total : total;
        end
        if (rst || seen_frame) begin
            fresh <= 1'b1;
            low <= 0;
            high <= 0;
            total <= 0;
        end else if (counts) begin
            fresh <= 1'b0;
            low <= new_low;
            high <= new_high;
            total <= new_total;
        end
    end
endmodule
