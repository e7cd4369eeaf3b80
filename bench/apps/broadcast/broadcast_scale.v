`resetall
`default_nettype none

// Scale: computes 3 x + 1 for each number x, one word in every cycle.
module broadcast_scale (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    assign s_axis_x_tready = !rst && (!m_axis_y_tvalid || m_axis_y_tready);

    always @(posedge clk) begin
        if (s_axis_x_tvalid && s_axis_x_tready)
            m_axis_y_tdata <= {s_axis_x_tdata[30:0], 1'b0} + s_axis_x_tdata + 32'd1;
        if (rst)
            m_axis_y_tvalid <= 1'b0;
        else if (s_axis_x_tready)
            m_axis_y_tvalid <= s_axis_x_tvalid;
    end
endmodule

`resetall
