// xopt_extremes: the least and the most of the numbers of a frame. A number is compared in
// one cycle and kept in the next: with what was kept before it, and with the number just
// ahead, which may be kept in the meantime. Which of the two answers counts is known then.
//
// The cycle in which frame is high is the last of its frame; take is high a cycle later,
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
    reg             here, fresh, kept_low, kept_high;
    reg [WIDTH-1:0] now, low, high;
    wire under_low, under_now, over_high, over_now;
    xopt_less #(.WIDTH(WIDTH)) below_kept (.clk(clk), .a(value), .b(low), .less(under_low));
    xopt_less #(.WIDTH(WIDTH)) below_now (.clk(clk), .a(value), .b(now), .less(under_now));
    xopt_less #(.WIDTH(WIDTH)) above_kept (.clk(clk), .a(high), .b(value), .less(over_high));
    xopt_less #(.WIDTH(WIDTH)) above_now (.clk(clk), .a(now), .b(value), .less(over_now));
    wire keep_low = here && (fresh || (kept_low ? under_now : under_low));
    wire keep_high = here && (fresh || (kept_high ? over_now : over_high));
    assign least = keep_low ? now : low;
    assign most = keep_high ? now : high;

    always @(posedge clk) begin
        here <= valid && !rst;
        now <= value;
        take <= frame && !rst;
        kept_low <= keep_low;
        kept_high <= keep_high;
        if (rst || take) begin
            fresh <= 1'b1;
            low <= 0;
            high <= 0;
        end else begin
            if (here)
                fresh <= 1'b0;
            low <= least;
            high <= most;
        end
    end
endmodule

// xopt_less: whether a number was less than another in the cycle before. Numbers of more than 8
// bits are compared in halves.
module xopt_less #(
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output wire             less
);
    localparam HALF = WIDTH > 8 ? WIDTH / 2 : 0;
    reg upper;
    always @(posedge clk)
        upper <= a[WIDTH-1:HALF] < b[WIDTH-1:HALF];
    generate
        if (HALF > 0) begin : halves
            reg lower, equal;
            always @(posedge clk) begin
                lower <= a[HALF-1:0] < b[HALF-1:0];
                equal <= a[WIDTH-1:HALF] == b[WIDTH-1:HALF];
            end
            assign less = upper || (equal && lower);
        end else begin : whole
            assign less = upper;
        end
    endgenerate
endmodule
