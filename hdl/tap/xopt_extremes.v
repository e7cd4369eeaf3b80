`resetall
`default_nettype none

// xopt_extremes: the minimum and the maximum of the numbers of a frame. A number is compared in one cycle and
// stored in the next. It is compared with the stored number and with the preceding number, which may be stored in
// the same cycle. The next cycle selects the valid comparison.
//
// The cycle in which frame is high is the last of its frame. take is high two cycles later, when both results are at
// the outputs. They are 0 if there was no number.
module xopt_extremes #(
    // Width of a number; 1 to 32.
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             frame,
    input  wire             valid,
    input  wire [WIDTH-1:0] value,
    output reg              accept,
    output wire [WIDTH-1:0] minimum,
    output wire [WIDTH-1:0] maximum
);
    initial begin
        if (WIDTH < 1 || WIDTH > 32)
            $fatal(1, "%m: WIDTH is %0d, want 1 to 32", WIDTH);
    end

    // Numbers are stored inverted, so that a comparison needs only a carry chain.
    reg [WIDTH-1:0] not_value_reg, not_minimum_reg, not_maximum_reg;
    reg valid_reg, frame_reg;
    reg first_reg; // the current number is the first of its frame
    reg empty_reg; // the frame had no number before this one
    reg result_empty_reg; // the ended frame had no number
    reg kept_minimum_reg, kept_maximum_reg; // the preceding number was stored
    wire below_minimum, below_ahead, above_maximum, above_ahead;
    wire below_maximum, above_minimum; // not used
    xopt_compare #(
        .WIDTH(WIDTH)
    ) with_minimum (
        .clk(clk),
        .valid(valid),
        .a(value),
        .not_b(not_minimum_reg),
        .less(below_minimum),
        .not_less(above_minimum)
    );
    xopt_compare #(
        .WIDTH(WIDTH)
    ) with_maximum (
        .clk(clk),
        .valid(valid),
        .a(value),
        .not_b(not_maximum_reg),
        .less(below_maximum),
        .not_less(above_maximum)
    );
    xopt_compare #(
        .WIDTH(WIDTH)
    ) with_ahead (
        .clk(clk),
        .valid(valid),
        .a(value),
        .not_b(not_value_reg),
        .less(below_ahead),
        .not_less(above_ahead)
    );
    wire keep_minimum = first_reg || (kept_minimum_reg ? below_ahead : below_minimum);
    wire keep_maximum = first_reg || (kept_maximum_reg ? above_ahead : above_maximum);
    wire still_empty = empty_reg && !valid_reg;
    assign minimum = result_empty_reg ? {WIDTH{1'b0}} : ~not_minimum_reg;
    assign maximum = result_empty_reg ? {WIDTH{1'b0}} : ~not_maximum_reg;

    always @(posedge clk) begin
        valid_reg <= valid && !rst;
        not_value_reg <= ~value;
        first_reg <= valid && !rst && (frame_reg || still_empty);
        empty_reg <= rst || frame_reg || still_empty;
        kept_minimum_reg <= keep_minimum;
        kept_maximum_reg <= keep_maximum;
        if (keep_minimum)
            not_minimum_reg <= not_value_reg;
        if (keep_maximum)
            not_maximum_reg <= not_value_reg;
        frame_reg <= frame && !rst;
        accept <= frame_reg && !rst;
        result_empty_reg <= still_empty;
    end
    wire unused = &{1'b0, below_maximum, above_minimum};
endmodule

`resetall
