`resetall
`default_nettype none

// Server: consumes an element after its time, and forwards it.
module queue_server #(
    // Mean cycles of an element; at least 1.
    parameter [31:0] MEAN = 20,
    // 1: constant times; else 0.
    parameter [31:0] CONSTANT = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [63:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [63:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    initial begin
        if (MEAN < 1)
            $fatal(1, "%m: MEAN is %0d, expected at least 1", MEAN);
        if (CONSTANT > 1)
            $fatal(1, "%m: CONSTANT is %0d, expected 0 or 1", CONSTANT);
    end

    wire now;
    wire accept = s_axis_x_tvalid && s_axis_x_tready;
    queue_chance #(
        .MEAN(MEAN),
        .CONSTANT(CONSTANT),
        .SEED(32'h9e3779b9)
    ) chance (
        .clk(clk),
        .rst(rst),
        .start(accept || !s_axis_x_tvalid),
        .now(now)
    );
    assign s_axis_x_tready = now && (!m_axis_y_tvalid || m_axis_y_tready);
    always @(posedge clk) begin
        if (accept)
            m_axis_y_tdata <= s_axis_x_tdata;
        if (rst)
            m_axis_y_tvalid <= 1'b0;
        else if (accept)
            m_axis_y_tvalid <= 1'b1;
        else if (m_axis_y_tready)
            m_axis_y_tvalid <= 1'b0;
    end
endmodule

`resetall
