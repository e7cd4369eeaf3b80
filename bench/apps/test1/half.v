`resetall
`default_nettype none

// HALF: halves numbers of 32 bits (IEEE 754), like half.c. It processes a number in every cycle. Halving is exact
// except for the smallest numbers, which are rounded to the nearest, ties to even.
module half (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x0_tdata,
    input  wire        s_axis_x0_tvalid,
    output wire        s_axis_x0_tready,
    output reg  [31:0] m_axis_y0_tdata,
    output reg         m_axis_y0_tvalid,
    input  wire        m_axis_y0_tready
);
    wire        sign = s_axis_x0_tdata[31];
    wire [7:0]  exponent = s_axis_x0_tdata[30:23];
    wire [22:0] fraction = s_axis_x0_tdata[22:0];
    // Results that are subnormal are shifted. The lowest bit and the bit above it determine the rounding.
    wire [23:0] complete = {exponent == 8'd1, fraction};
    wire [23:0] shifted = {1'b0, complete[23:1]} + {23'd0, complete[0] && complete[1]};
    wire        endless = exponent == 8'd255; // infinite, or not a number, which becomes quiet
    wire [30:0] size = endless ? {exponent, fraction[22] || fraction != 0, fraction[21:0]} :
        exponent > 8'd1 ? {exponent - 8'd1, fraction} : {7'd0, shifted};

    assign s_axis_x0_tready = !m_axis_y0_tvalid || m_axis_y0_tready;
    always @(posedge clk) begin
        if (s_axis_x0_tready)
            m_axis_y0_tdata <= {sign, size};
        if (rst)
            m_axis_y0_tvalid <= 1'b0;
        else if (s_axis_x0_tready)
            m_axis_y0_tvalid <= s_axis_x0_tvalid;
    end
endmodule

`resetall
