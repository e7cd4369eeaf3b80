`resetall
`default_nettype none

// CoreFFT in fixed point, like fixedfft.c.
module veritas_fft (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata, // 16 bits are used
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [31:0] m_axis_re_tdata,
    output wire        m_axis_re_tvalid,
    input  wire        m_axis_re_tready,
    output wire [31:0] m_axis_im_tdata,
    output wire        m_axis_im_tvalid,
    input  wire        m_axis_im_tready
);
    // A word leaves when both ports have accepted it.
    wire valid;
    reg re_taken, im_taken;
    assign m_axis_re_tvalid = valid && !re_taken;
    assign m_axis_im_tvalid = valid && !im_taken;
    wire ready = (re_taken || m_axis_re_tready) && (im_taken || m_axis_im_tready);
    always @(posedge clk)
        if (rst || !valid || ready) begin
            re_taken <= 1'b0;
            im_taken <= 1'b0;
        end else begin
            re_taken <= re_taken || m_axis_re_tready;
            im_taken <= im_taken || m_axis_im_tready;
        end
    dft96 #(.INVERSE(0), .IN(16), .SHIFT(6)) transform (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_x_tvalid), .s_axis_tready(s_axis_x_tready),
        .s_axis_re_tdata(s_axis_x_tdata[15:0]), .s_axis_im_tdata(16'd0),
        .m_axis_tvalid(valid), .m_axis_tready(ready),
        .m_axis_re_tdata(m_axis_re_tdata), .m_axis_im_tdata(m_axis_im_tdata));
    wire unused = &{1'b0, s_axis_x_tdata[31:16]};
endmodule

`resetall
