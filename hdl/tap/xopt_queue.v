// xopt_queue: how full a queue is in a frame, from what goes in and comes out: least,
// most, and the sum over cycles, which is the mean times the cycles. Words that are in
// the queue when a frame ends are in it when the next begins.
//
// On a chain (see xopt_activity) it has four words: least, most, sum, lower half first.
module xopt_queue #(
    parameter WIDTH = 16 // of an occupancy, at most 31
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             enable,
    input  wire             frame, // high in its last cycle
    input  wire             enqueue,
    input  wire             dequeue,
    output reg  [WIDTH-1:0] occupancy, // after the cycle before
    output reg              done, // the figures of a frame stand at the outputs
    output wire [WIDTH-1:0] least,
    output wire [WIDTH-1:0] most,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    reg counts, seen_frame, fresh; // fresh: nothing of this frame has been counted
    reg [WIDTH-1:0] low, high;
    reg [31:0] word0, word1, word2, word3;
    wire [63:0] total;
    wire [3:0] take;
    xopt_sum #(.WIDTH(WIDTH), .CHUNKS(4)) add (.clk(clk), .rst(rst), .frame(seen_frame), .value(counts ? occupancy : {WIDTH{1'b0}}), .total(total), .take(take));

    wire [WIDTH-1:0] new_low = counts && (fresh || occupancy < low) ? occupancy : low;
    wire [WIDTH-1:0] new_high = counts && (fresh || occupancy > high) ? occupancy : high;
    assign least = word0[WIDTH-1:0];
    assign most = word1[WIDTH-1:0];
    assign sum = {word3, word2};
    assign chain_out = word0;

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
        done <= take[3];
        if (shift) begin
            word0 <= word1;
            word1 <= word2;
            word2 <= word3;
            word3 <= chain_in;
        end
        if (seen_frame) begin
            word0 <= {{(32-WIDTH){1'b0}}, new_low};
            word1 <= {{(32-WIDTH){1'b0}}, new_high};
        end
        if (take[0])
            word2[15:0] <= total[15:0];
        if (take[1])
            word2[31:16] <= total[31:16];
        if (take[2])
            word3[15:0] <= total[47:32];
        if (take[3])
            word3[31:16] <= total[63:48];
        if (rst || seen_frame) begin
            fresh <= 1'b1;
            low <= 0;
            high <= 0;
        end else if (counts) begin
            fresh <= 1'b0;
            low <= new_low;
            high <= new_high;
        end
    end
endmodule
