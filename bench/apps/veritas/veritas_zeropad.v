`resetall
`default_nettype none

// ZeroPad in fixed point, like fixedpad.c. It sends 24 numbers and 72 zeros.
module veritas_zeropad (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [31:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    reg [6:0] n;
    wire real_ = n < 24;
    assign m_axis_y_tvalid = !real_ || s_axis_x_tvalid;
    assign m_axis_y_tdata = real_ ? {{16{s_axis_x_tdata[15]}}, s_axis_x_tdata} : 32'd0;
    assign s_axis_x_tready = real_ && m_axis_y_tready;
    always @(posedge clk)
        if (rst)
            n <= 0;
        else if (m_axis_y_tvalid && m_axis_y_tready)
            n <= n == 95 ? 7'd0 : n + 1'b1;
endmodule

`resetall
