`resetall
`default_nettype none

// xopt_octave: computes the bin of a number on a scale of four bins per octave. The bins of an octave have equal width.
// The index of the bin is four times the position of the highest bit, plus the two bits below it. 0 is in the bin of 1.
// The computation takes two cycles.
module xopt_octave (
    input  wire        clk,
    input  wire        rst,
    input  wire        valid,
    input  wire [31:0] value,
    output reg         out_valid,
    output reg  [6:0]  bin
);
    // The highest bit is shifted to the top: by 16 and 8 in the first cycle, and by 4, 2 and 1 in the second.
    wire zero16 = value[31:16] == 0;
    wire [31:0] by16 = zero16 ? {value[15:0], 16'd0} : value;
    wire zero8 = by16[31:24] == 0;
    wire [31:0] by8 = zero8 ? {by16[23:0], 8'd0} : by16;
    reg valid_reg, zero16_reg, zero8_reg;
    reg [9:0] top_reg; // possible values of the highest bit's position and the two bits below
    wire zero4 = top_reg[9:6] == 0;
    wire [9:0] by4 = zero4 ? {top_reg[5:0], 4'd0} : top_reg;
    wire zero2 = by4[9:8] == 0;
    wire [9:0] by2 = zero2 ? {by4[7:0], 2'd0} : by4;
    wire zero1 = !by2[9];
    wire [9:0] by1 = zero1 ? {by2[8:0], 1'b0} : by2;
    always @(posedge clk) begin
        valid_reg <= valid && !rst;
        zero16_reg <= zero16;
        zero8_reg <= zero8;
        top_reg <= by8[31:22];
        out_valid <= valid_reg && !rst;
        bin <= by1[9] ? {~{zero16_reg, zero8_reg, zero4, zero2, zero1}, by1[8:7]} : 7'd0;
    end
    wire unused = &{1'b0, by8[21:0], by1[6:0]};
endmodule

`resetall
