`resetall
`default_nettype none

// ZigZag: sends coefficients in order of rising frequency, like zigzag.c. It processes one coefficient in every cycle.
module zigzag (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [15:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    block64 #(.WIDTH(16), .ZIGZAG(1)) order (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_x_tvalid), .s_axis_tready(s_axis_x_tready), .s_axis_tdata(s_axis_x_tdata),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready), .m_axis_tdata(m_axis_y_tdata));
endmodule

`resetall
