`resetall
`default_nettype none

// Smooth: replaces each number by the mean of itself and the three before it, like smooth.c,
// one in every cycle. Input port x of the block is the AXI4-Stream s_axis_x; output y is m_axis_y.
module smooth (
    input  wire        clk,
    input  wire        rst,             // synchronous, high
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    reg  signed [31:0] last0, last1, last2;
    wire signed [31:0] sum = $signed(s_axis_x_tdata) + last0 + last1 + last2;

    // A word is accepted after the previous word has been sent.
    assign s_axis_x_tready = !m_axis_y_tvalid || m_axis_y_tready;
    wire accept = s_axis_x_tvalid && s_axis_x_tready;

    always @(posedge clk) begin
        if (rst) begin
            m_axis_y_tvalid <= 1'b0;
            last0 <= 32'd0;
            last1 <= 32'd0;
            last2 <= 32'd0;
        end else begin
            if (s_axis_x_tready)
                m_axis_y_tvalid <= s_axis_x_tvalid;
            if (accept) begin
                m_axis_y_tdata <= sum >>> 2;
                last0 <= s_axis_x_tdata;
                last1 <= last0;
                last2 <= last1;
            end
        end
    end
endmodule

`resetall
