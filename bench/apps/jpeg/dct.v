`resetall
`default_nettype none

// DCT: computes the forward transform of 8 x 8 samples (T.81 A.3.3), rows and then columns, in fixed point, like dct.c.
// In every cycle, it receives a sample and sends a coefficient that is multiplied by 8.
module dct (
    input  wire        clk,
    input  wire        rst,
    input  wire [7:0]  s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [15:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    wire        rows_valid, rows_ready, turned_valid, turned_ready, columns_valid, columns_ready;
    wire [14:0] rows_data, turned_data;
    wire [15:0] columns_data;

    // To subtract 128, the highest bit is inverted, and the result is a signed number.
    dct8 #(.IN(8), .SUM(23), .OUT(15), .SHIFT(8)) rows (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_x_tvalid), .s_axis_tready(s_axis_x_tready),
            .s_axis_tdata({!s_axis_x_tdata[7], s_axis_x_tdata[6:0]}),
        .m_axis_tvalid(rows_valid), .m_axis_tready(rows_ready), .m_axis_tdata(rows_data));
    block64 #(.WIDTH(15)) turn (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(rows_valid), .s_axis_tready(rows_ready), .s_axis_tdata(rows_data),
        .m_axis_tvalid(turned_valid), .m_axis_tready(turned_ready), .m_axis_tdata(turned_data));
    dct8 #(.IN(15), .SUM(31), .OUT(16), .SHIFT(15)) columns (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(turned_valid), .s_axis_tready(turned_ready), .s_axis_tdata(turned_data),
        .m_axis_tvalid(columns_valid), .m_axis_tready(columns_ready), .m_axis_tdata(columns_data));
    block64 #(.WIDTH(16)) back (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(columns_valid), .s_axis_tready(columns_ready), .s_axis_tdata(columns_data),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready), .m_axis_tdata(m_axis_y_tdata));
endmodule

`resetall
