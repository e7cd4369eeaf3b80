`resetall
`default_nettype none

// xopt_value: the minimum, the maximum, the last and the sum of a field of the words that move in a frame, unsigned.
//
// On a chain (see xopt_activity) it has six words: the number of words, minimum, maximum, last, sum (lower half first).
module xopt_value #(
    // Width of the field; 1 to 32.
    parameter WIDTH = 16,
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             enable,
    input  wire             frame, // high in the last cycle of a frame
    input  wire             move, // a word moves
    input  wire [WIDTH-1:0] value, // the field of this word
    output reg              done, // the figures of a frame are at the outputs
    output wire [31:0]      count,
    output wire [WIDTH-1:0] minimum,
    output wire [WIDTH-1:0] maximum,
    output wire [WIDTH-1:0] last,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    localparam CHUNKS = 32 / CHUNK;
    initial begin
        if (WIDTH < 1 || WIDTH > 32)
            $fatal(1, "%m: WIDTH is %0d, want 1 to 32", WIDTH);
        if (CHUNK < 1 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32", CHUNK);
    end

    reg move_reg; // a counted word, value_reg, has moved
    reg [1:0] frame_reg; // one and two cycles late
    reg [WIDTH-1:0] value_reg, addend_reg, last_reg;
    wire [63:0] total;
    wire [31:0] number;
    wire [CHUNKS-1:0] take_number;
    wire [2*CHUNKS-1:0] take_sum;
    wire take_extremes;
    wire [WIDTH-1:0] low, high;
    wire [191:0] words;
    xopt_sum #(
        .WIDTH(1),
        .BITS(32),
        .CHUNK(CHUNK)
    ) counter (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[0]),
        .value(move_reg),
        .total(number),
        .accept(take_number)
    );
    xopt_sum #(
        .WIDTH(WIDTH),
        .CHUNK(CHUNK)
    ) add (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[0]),
        .value(addend_reg),
        .total(total),
        .accept(take_sum)
    );
    xopt_extremes #(
        .WIDTH(WIDTH)
    ) extremes (
        .clk(clk),
        .rst(rst),
        .frame(frame_reg[0]),
        .valid(move_reg),
        .value(value_reg),
        .accept(take_extremes),
        .minimum(low),
        .maximum(high)
    );

    // Extended to the width of the chain's words.
    wire [95:0] extended;
    generate
        if (WIDTH == 32) begin : all
            assign extended = {last_reg, high, low};
        end else begin : part
            assign extended = {{(32-WIDTH){1'b0}}, last_reg, {(32-WIDTH){1'b0}}, high, {(32-WIDTH){1'b0}}, low};
        end
    endgenerate
    xopt_words #(
        .WORDS(6),
        .CHUNK(CHUNK)
    ) chain (
        .clk(clk),
        .load({take_sum, {CHUNKS{frame_reg[1]}}, {2*CHUNKS{take_extremes}}, take_number}),
        .figures({total, extended, number}),
        .words(words),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_out)
    );
    assign count = words[31:0];
    assign minimum = words[32 +: WIDTH];
    assign maximum = words[64 +: WIDTH];
    assign last = words[96 +: WIDTH];
    assign sum = words[191:128];

    wire counted = enable && move && !rst;
    always @(posedge clk) begin
        move_reg <= counted;
        value_reg <= value;
        addend_reg <= counted ? value : {WIDTH{1'b0}};
        frame_reg <= {frame_reg[0], frame} & {2{!rst}};
        done <= take_sum[2*CHUNKS-1];
        if (move_reg)
            last_reg <= value_reg;
        else if (rst || frame_reg[1])
            last_reg <= 0;
    end
    wire unused = &{1'b0, words};
endmodule

`resetall
