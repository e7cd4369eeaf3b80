`resetall
`default_nettype none

// xopt_compare: reports whether a number that was valid in the previous cycle was less than another, or not less.
// Numbers of more than 16 bits are compared in halves.
module xopt_compare #(
    // Width of a number; at least 1.
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             valid,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] not_b, // the other number, inverted
    output wire             less,
    output wire             not_less
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
    end

    generate
        if (WIDTH > 16) begin : halves
            localparam HALF = WIDTH / 2;
            // The carries out of a - b.
            wire [HALF+1:0] low = {1'b0, a[HALF-1:0], 1'b1} + {1'b0, not_b[HALF-1:0], 1'b1};
            wire [WIDTH-HALF+1:0] high = {1'b0, a[WIDTH-1:HALF], 1'b1} + {1'b0, not_b[WIDTH-1:HALF], 1'b1};
            reg valid_reg, high_not_less_reg, low_not_less_reg, high_equal_reg;
            always @(posedge clk) begin
                valid_reg <= valid;
                high_not_less_reg <= high[WIDTH-HALF+1];
                low_not_less_reg <= low[HALF+1];
                high_equal_reg <= a[WIDTH-1:HALF] == ~not_b[WIDTH-1:HALF];
            end
            wire whole_not_less = high_not_less_reg && (low_not_less_reg || !high_equal_reg);
            assign less = valid_reg && !whole_not_less;
            assign not_less = valid_reg && whole_not_less;
            wire unused = &{1'b0, low[HALF:0], high[WIDTH-HALF:0]};
        end else begin : complete
            wire [WIDTH+1:0] difference = {1'b0, a, 1'b1} + {1'b0, not_b, 1'b1};
            reg less_reg, not_less_reg;
            always @(posedge clk) begin
                less_reg <= valid && !difference[WIDTH+1];
                not_less_reg <= valid && difference[WIDTH+1];
            end
            assign less = less_reg;
            assign not_less = not_less_reg;
            wire unused = &{1'b0, difference[WIDTH:0]};
        end
    endgenerate
endmodule

`resetall
