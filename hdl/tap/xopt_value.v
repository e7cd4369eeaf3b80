// xopt_value: what a field of a stream's words is in a frame: the least, the most, the
// last and the sum of the words that move, unsigned.
//
// On a chain (see xopt_activity) it has six words: how many, least, most, last, sum, lower
// half first.
module xopt_value #(
    parameter WIDTH = 16, // at most 32
    parameter CHUNK = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             enable,
    input  wire             frame, // high in its last cycle
    input  wire             move, // a word moves
    input  wire [WIDTH-1:0] value, // in it
    output reg              done, // the figures of a frame stand at the outputs
    output wire [31:0]      count,
    output wire [WIDTH-1:0] least,
    output wire [WIDTH-1:0] most,
    output wire [WIDTH-1:0] last,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    localparam CHUNKS = 32 / CHUNK;
    reg seen, seen_frame, ended;
    reg [WIDTH-1:0] now, added, latest;
    wire [63:0] total;
    wire [31:0] number;
    wire [2*CHUNKS-1:0] take;
    wire [CHUNKS-1:0] take_number;
    wire kept;
    wire [WIDTH-1:0] low, high;
    wire [191:0] words;
    xopt_sum #(.WIDTH(1), .BITS(32), .CHUNK(CHUNK)) counts (.clk(clk), .rst(rst), .frame(seen_frame), .value(seen), .total(number), .take(take_number));
    xopt_sum #(.WIDTH(WIDTH), .CHUNK(CHUNK)) add (.clk(clk), .rst(rst), .frame(seen_frame), .value(added), .total(total), .take(take));
    xopt_extremes #(.WIDTH(WIDTH)) range (.clk(clk), .rst(rst), .frame(seen_frame), .valid(seen), .value(now), .take(kept), .least(low), .most(high));

    // As wide as words of the chain.
    wire [95:0] wide;
    generate
        if (WIDTH == 32) begin : all
            assign wide = {latest, high, low};
        end else begin : part
            assign wide = {{(32-WIDTH){1'b0}}, latest, {(32-WIDTH){1'b0}}, high, {(32-WIDTH){1'b0}}, low};
        end
    endgenerate
    xopt_words #(.WORDS(6), .CHUNK(CHUNK)) chain (.clk(clk), .load({take, {CHUNKS{ended}}, {2*CHUNKS{kept}}, take_number}), .figures({total, wide, number}), .words(words),
        .shift(shift), .chain_in(chain_in), .chain_out(chain_out));
    assign count = words[31:0];
    assign least = words[32 +: WIDTH];
    assign most = words[64 +: WIDTH];
    assign last = words[96 +: WIDTH];
    assign sum = words[191:128];

    always @(posedge clk) begin
        seen <= enable && move && !rst;
        now <= value;
        added <= enable && move && !rst ? value : {WIDTH{1'b0}};
        seen_frame <= frame && !rst;
        ended <= seen_frame && !rst;
        done <= take[2*CHUNKS-1];
        if (seen)
            latest <= now;
        else if (rst || ended)
            latest <= 0;
    end
    wire unused = &{1'b0, words};
endmodule
