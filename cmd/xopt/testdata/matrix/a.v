`resetall
`default_nettype none

// A: as a.c, one number in every cycle.
module A (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [31:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    assign m_axis_y_tdata = s_axis_x_tdata ^ (s_axis_x_tdata >> 7);
    assign m_axis_y_tvalid = s_axis_x_tvalid;
    assign s_axis_x_tready = m_axis_y_tready;
endmodule

`resetall
