`resetall
`default_nettype none

// RGB2YCbCr: applies the color conversion of JFIF, in fixed point with 16 fractional bits, like convert.c. It converts
// a pixel in every cycle. The input has three bytes, with red in the lowest byte. Each output port sends one byte.
module rgb2ycbcr (
    input  wire        clk,
    input  wire        rst,
    input  wire [23:0] s_axis_rgb_tdata,
    input  wire        s_axis_rgb_tvalid,
    output wire        s_axis_rgb_tready,
    output wire [7:0]  m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready,
    output wire [7:0]  m_axis_cb_tdata,
    output reg         m_axis_cb_tvalid,
    input  wire        m_axis_cb_tready,
    output wire [7:0]  m_axis_cr_tdata,
    output reg         m_axis_cr_tvalid,
    input  wire        m_axis_cr_tready
);
    localparam [24:0] HALF = 25'd32768;
    localparam [24:0] MIDDLE = 25'd8421375; // 128 << 16, and HALF - 1

    wire [24:0] r = {17'd0, s_axis_rgb_tdata[7:0]};
    wire [24:0] g = {17'd0, s_axis_rgb_tdata[15:8]};
    wire [24:0] b = {17'd0, s_axis_rgb_tdata[23:16]};

    // Products, then sums of pairs of products, then the total.
    reg        valid1, valid2;
    reg [24:0] yr, yg, yb, cbr, cbg, cbb, crr, crg, crb;
    reg [24:0] y1, y2, cb1, cb2, cr1, cr2;
    reg [24:0] y, cb, cr;

    // A new pixel leaves after every port has sent the previous pixel.
    wire free = (!m_axis_y_tvalid || m_axis_y_tready) && (!m_axis_cb_tvalid ||
        m_axis_cb_tready) && (!m_axis_cr_tvalid || m_axis_cr_tready);
    assign s_axis_rgb_tready = free;
    assign m_axis_y_tdata = y[23:16];
    assign m_axis_cb_tdata = cb[23:16];
    assign m_axis_cr_tdata = cr[23:16];

    always @(posedge clk) begin
        if (free) begin
            yr <= 25'd19595 * r;
            yg <= 25'd38470 * g;
            yb <= 25'd7471 * b;
            cbr <= 25'd11059 * r;
            cbg <= 25'd21709 * g;
            cbb <= b << 15;
            crr <= r << 15;
            crg <= 25'd27439 * g;
            crb <= 25'd5329 * b;
            y1 <= yr + yg;
            y2 <= yb + HALF;
            cb1 <= cbb + MIDDLE;
            cb2 <= cbr + cbg;
            cr1 <= crr + MIDDLE;
            cr2 <= crg + crb;
            y <= y1 + y2;
            cb <= cb1 - cb2;
            cr <= cr1 - cr2;
        end
        if (rst) begin
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            m_axis_y_tvalid <= 1'b0;
            m_axis_cb_tvalid <= 1'b0;
            m_axis_cr_tvalid <= 1'b0;
        end else if (free) begin
            valid1 <= s_axis_rgb_tvalid;
            valid2 <= valid1;
            m_axis_y_tvalid <= valid2;
            m_axis_cb_tvalid <= valid2;
            m_axis_cr_tvalid <= valid2;
        end else begin
            if (m_axis_y_tready)
                m_axis_y_tvalid <= 1'b0;
            if (m_axis_cb_tready)
                m_axis_cb_tvalid <= 1'b0;
            if (m_axis_cr_tready)
                m_axis_cr_tvalid <= 1'b0;
        end
    end

    // Results are below 2^24, and their fraction is not used.
    wire unused = &{1'b0, y[24], y[15:0], cb[24], cb[15:0], cr[24], cr[15:0]};
endmodule

`resetall
