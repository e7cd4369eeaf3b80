`resetall
`default_nettype none

// Peak: sends the greatest number of an element of 16 words.
module broadcast_peak (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    reg  [31:0] so_far;
    reg  [3:0]  count; // received words of the element
    wire [31:0] next = s_axis_x_tdata > so_far ? s_axis_x_tdata : so_far;
    wire        accept = s_axis_x_tvalid && s_axis_x_tready;
    wire        last = count == 4'd15;
    assign s_axis_x_tready = !rst && (!last || !m_axis_y_tvalid || m_axis_y_tready);

    always @(posedge clk) begin
        if (m_axis_y_tready)
            m_axis_y_tvalid <= 1'b0;
        if (accept) begin
            count <= count + 4'd1;
            so_far <= last ? 32'd0 : next;
            if (last) begin
                m_axis_y_tdata <= next;
                m_axis_y_tvalid <= 1'b1;
            end
        end
        if (rst) begin
            count <= 4'd0;
            so_far <= 32'd0;
            m_axis_y_tvalid <= 1'b0;
        end
    end
endmodule

`resetall
