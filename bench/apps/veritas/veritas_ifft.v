`resetall
`default_nettype none

// CoreIFFT in fixed point, like fixedifft.c.
module veritas_ifft (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_re_tdata, // 24 bits are used
    input  wire        s_axis_re_tvalid,
    output wire        s_axis_re_tready,
    input  wire [31:0] s_axis_im_tdata,
    input  wire        s_axis_im_tvalid,
    output wire        s_axis_im_tready,
    output wire [31:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    wire ready;
    assign s_axis_re_tready = ready && s_axis_im_tvalid;
    assign s_axis_im_tready = ready && s_axis_re_tvalid;
    wire [31:0] nothing;
    dft96 #(.INVERSE(1), .IN(24), .SHIFT(20)) transform (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_re_tvalid && s_axis_im_tvalid), .s_axis_tready(ready),
        .s_axis_re_tdata(s_axis_re_tdata[23:0]), .s_axis_im_tdata(s_axis_im_tdata[23:0]),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready),
        .m_axis_re_tdata(m_axis_y_tdata), .m_axis_im_tdata(nothing));
    wire unused = &{1'b0, nothing, s_axis_re_tdata[31:24], s_axis_im_tdata[31:24]};
endmodule

`resetall
