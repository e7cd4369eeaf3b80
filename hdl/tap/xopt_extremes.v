// xopt_extremes: the least and the most of the numbers of a frame. A number is compared in
// one cycle and kept in the next: with what was kept before it, and with the number just
// ahead, which may be kept in the meantime. Which of the two answers counts is known then.
//
// The cycle in which frame is high is the last of its frame; take is high two cycles later,
// when least and most stand at the outputs, 0 where there was no number.
module xopt_extremes #(
    parameter WIDTH = 16 // at most 32
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             frame,
    input  wire             valid,
    input  wire [WIDTH-1:0] value,
    output reg              take,
    output wire [WIDTH-1:0] least,
    output wire [WIDTH-1:0] most
);
    // Numbers are kept inverted, as subtracting them wants them, so that a comparison is one
    // chain of carries and nothing before it.
    reg             here, first, fresh, none, ended, kept_low, kept_high;
    reg [WIDTH-1:0] not_now, not_low, not_high;
    wire under_low, under_high, under_now, over_low, over_high, over_now;
    xopt_compare #(.WIDTH(WIDTH)) with_low (.clk(clk), .valid(valid), .a(value), .not_b(not_low), .under(under_low), .over(over_low));
    xopt_compare #(.WIDTH(WIDTH)) with_high (.clk(clk), .valid(valid), .a(value), .not_b(not_high), .under(under_high), .over(over_high));
    xopt_compare #(.WIDTH(WIDTH)) with_now (.clk(clk), .valid(valid), .a(value), .not_b(not_now), .under(under_now), .over(over_now));
    wire keep_low = first || (kept_low ? under_now : under_low);
    wire keep_high = first || (kept_high ? over_now : over_high);
    wire untouched = fresh && !here;
    assign least = none ? {WIDTH{1'b0}} : ~not_low;
    assign most = none ? {WIDTH{1'b0}} : ~not_high;

    always @(posedge clk) begin
        here <= valid && !rst;
        not_now <= ~value;
        first <= valid && !rst && (ended || untouched);
        fresh <= rst || ended || untouched;
        kept_low <= keep_low;
        kept_high <= keep_high;
        if (keep_low)
            not_low <= not_now;
        if (keep_high)
            not_high <= not_now;
        ended <= frame && !rst;
        take <= ended && !rst;
        none <= untouched;
    end
    wire unused = &{1'b0, under_high, over_low};
endmodule

// xopt_compare: whether a number was valid and, under, less than another, or, over, not less, in
// the cycle before. Numbers of more than 16 bits are compared in halves.
module xopt_compare #(
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             valid,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] not_b,
    output wire             under,
    output wire             over
);
    generate
        if (WIDTH > 16) begin : halves
            localparam HALF = WIDTH / 2;
            wire [HALF+1:0] low = {1'b0, a[HALF-1:0], 1'b1} + {1'b0, not_b[HALF-1:0], 1'b1};
            wire [WIDTH-HALF+1:0] high = {1'b0, a[WIDTH-1:HALF], 1'b1} + {1'b0, not_b[WIDTH-1:HALF], 1'b1};
            reg seen, upper, lower, equal; // not less; not less; equal in the upper half
            always @(posedge clk) begin
                seen <= valid;
                upper <= high[WIDTH-HALF+1];
                lower <= low[HALF+1];
                equal <= a[WIDTH-1:HALF] == ~not_b[WIDTH-1:HALF];
            end
            wire least = upper && (lower || !equal);
            assign under = seen && !least;
            assign over = seen && least;
            wire unused = &{1'b0, low[HALF:0], high[WIDTH-HALF:0]};
        end else begin : whole
            // The carry out of a - b, as it is added.
            wire [WIDTH+1:0] difference = {1'b0, a, 1'b1} + {1'b0, not_b, 1'b1};
            reg less, more;
            always @(posedge clk) begin
                less <= valid && !difference[WIDTH+1];
                more <= valid && difference[WIDTH+1];
            end
            assign under = less;
            assign over = more;
            wire unused = &{1'b0, difference[WIDTH:0]};
        end
    endgenerate
endmodule
