`resetall
`default_nettype none

// Final: exchanges the halves, and applies the inverse of the initial permutation (FIPS 46-3), like final.c. It
// processes a block in every cycle.
module des_final (
    input  wire        clk,
    input  wire        rst,
    input  wire [63:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [63:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    // Bits are counted from 1, the highest first.
    localparam [64*7-1:0] TABLE = {
        7'd40, 7'd8, 7'd48, 7'd16, 7'd56, 7'd24, 7'd64, 7'd32, 7'd39, 7'd7, 7'd47, 7'd15, 7'd55, 7'd23, 7'd63, 7'd31,
        7'd38, 7'd6, 7'd46, 7'd14, 7'd54, 7'd22, 7'd62, 7'd30, 7'd37, 7'd5, 7'd45, 7'd13, 7'd53, 7'd21, 7'd61, 7'd29,
        7'd36, 7'd4, 7'd44, 7'd12, 7'd52, 7'd20, 7'd60, 7'd28, 7'd35, 7'd3, 7'd43, 7'd11, 7'd51, 7'd19, 7'd59, 7'd27,
        7'd34, 7'd2, 7'd42, 7'd10, 7'd50, 7'd18, 7'd58, 7'd26, 7'd33, 7'd1, 7'd41, 7'd9, 7'd49, 7'd17, 7'd57, 7'd25};
    wire [63:0] x = {s_axis_x_tdata[31:0], s_axis_x_tdata[63:32]};
    wire [63:0] y;
    genvar i;
    generate
        for (i = 0; i < 64; i = i + 1) begin : bits
            assign y[63-i] = x[64-TABLE[7*(63-i) +: 7]];
        end
    endgenerate

    assign s_axis_x_tready = !m_axis_y_tvalid || m_axis_y_tready;
    always @(posedge clk) begin
        if (s_axis_x_tready)
            m_axis_y_tdata <= y;
        if (rst)
            m_axis_y_tvalid <= 1'b0;
        else if (s_axis_x_tready)
            m_axis_y_tvalid <= s_axis_x_tvalid;
    end
endmodule

`resetall
