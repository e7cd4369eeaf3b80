// xopt_queue: how full a queue is in a frame, from what goes in and comes out: least,
// most, and the sum over cycles, which is the mean times the cycles. Words that are in
// the queue when a frame ends are in it when the next begins.
//
// On a chain (see xopt_activity) it has four words: least, most, sum, lower half first.
module xopt_queue #(
    parameter WIDTH = 16, // of an occupancy, at most 31
    parameter CHUNK = 8
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
    localparam CHUNKS = 64 / CHUNK;
    reg counts, seen_frame, late_frame;
    reg [WIDTH-1:0] added;
    wire [63:0] total;
    wire [CHUNKS-1:0] take;
    wire kept;
    wire [WIDTH-1:0] low, high;
    wire [127:0] words;
    xopt_sum #(.WIDTH(WIDTH), .CHUNK(CHUNK)) add (.clk(clk), .rst(rst), .frame(late_frame), .value(added), .total(total), .take(take));
    xopt_extremes #(.WIDTH(WIDTH)) range (.clk(clk), .rst(rst), .frame(seen_frame), .valid(counts), .value(occupancy), .take(kept), .least(low), .most(high));
    xopt_words #(.WORDS(4), .CHUNK(CHUNK)) chain (.clk(clk), .load({take, {CHUNKS{kept}}}), .figures({total, {(32-WIDTH){1'b0}}, high, {(32-WIDTH){1'b0}}, low}), .words(words),
        .shift(shift), .chain_in(chain_in), .chain_out(chain_out));
    assign least = words[WIDTH-1:0];
    assign most = words[32 +: WIDTH];
    assign sum = words[127:64];

    always @(posedge clk) begin
        // The queue is followed when nothing is counted too.
        if (rst)
            occupancy <= 0;
        else if (enqueue && !dequeue)
            occupancy <= occupancy + 1'b1;
        else if (dequeue && !enqueue)
            occupancy <= occupancy - 1'b1;
        counts <= enable && !rst;
        added <= counts ? occupancy : {WIDTH{1'b0}};
        seen_frame <= frame && !rst;
        late_frame <= seen_frame && !rst;
        done <= take[CHUNKS-1];
    end
    wire unused = &{1'b0, words};
endmodule
