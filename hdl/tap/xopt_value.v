// xopt_value: what a field of a stream's words is in a frame: the least, the most, the
// last and the sum of the words that move, unsigned.
//
// On a chain (see xopt_activity) it has six words: how many, least, most, last, sum, lower
// half first.
module xopt_value #(
    parameter WIDTH = 16 // at most 32
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
    reg seen, seen_frame, fresh;
    reg [WIDTH-1:0] now, low, high, latest;
    reg [31:0] counted;
    reg [31:0] word0, word1, word2, word3, word4, word5;
    wire [63:0] total;
    wire [3:0] take;
    xopt_sum #(.WIDTH(WIDTH), .CHUNKS(4)) add (.clk(clk), .rst(rst), .frame(seen_frame), .value(seen ? now : {WIDTH{1'b0}}), .total(total), .take(take));

    wire [31:0] new_count = counted + {31'd0, seen};
    wire [WIDTH-1:0] new_low = seen && (fresh || now < low) ? now : low;
    wire [WIDTH-1:0] new_high = seen && (fresh || now > high) ? now : high;
    wire [WIDTH-1:0] new_latest = seen ? now : latest;
    assign count = word0;
    assign least = word1[WIDTH-1:0];
    assign most = word2[WIDTH-1:0];
    assign last = word3[WIDTH-1:0];
    assign sum = {word5, word4};
    assign chain_out = word0;

    // As wide as a word of the chain.
    wire [31:0] wide_low, wide_high, wide_latest;
    generate
        if (WIDTH == 32) begin : all
            assign wide_low = new_low;
            assign wide_high = new_high;
            assign wide_latest = new_latest;
        end else begin : part
            assign wide_low = {{(32-WIDTH){1'b0}}, new_low};
            assign wide_high = {{(32-WIDTH){1'b0}}, new_high};
            assign wide_latest = {{(32-WIDTH){1'b0}}, new_latest};
        end
    endgenerate

    always @(posedge clk) begin
        seen <= enable && move && !rst;
        now <= value;
        seen_frame <= frame && !rst;
        done <= take[3];
        if (shift) begin
            word0 <= word1;
            word1 <= word2;
            word2 <= word3;
            word3 <= word4;
            word4 <= word5;
            word5 <= chain_in;
        end
        if (seen_frame) begin
            word0 <= new_count;
            word1 <= wide_low;
            word2 <= wide_high;
            word3 <= wide_latest;
        end
        if (take[0])
            word4[15:0] <= total[15:0];
        if (take[1])
            word4[31:16] <= total[31:16];
        if (take[2])
            word5[15:0] <= total[47:32];
        if (take[3])
            word5[31:16] <= total[63:48];
        if (rst || seen_frame) begin
            fresh <= 1'b1;
            counted <= 0;
            low <= 0;
            high <= 0;
            latest <= 0;
        end else begin
            if (seen)
                fresh <= 1'b0;
            counted <= new_count;
            low <= new_low;
            high <= new_high;
            latest <= new_latest;
        end
    end
endmodule
