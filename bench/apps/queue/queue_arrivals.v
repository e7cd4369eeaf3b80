`resetall
`default_nettype none

// Arrivals: forwards tokens, each after its time, like arrivals.c. In every other phase, it forwards only one of THIN
// tokens.
module queue_arrivals #(
    // Mean cycles of a token; at least 1.
    parameter [31:0] MEAN = 22,
    // Tokens of a phase; 0 for no thinning.
    parameter [31:0] PHASE = 0,
    // In a thinned phase, one of THIN tokens is sent; at least 1.
    parameter [31:0] THIN = 8
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
        if (THIN < 1)
            $fatal(1, "%m: THIN is %0d, expected at least 1", THIN);
    end

    wire now;
    queue_chance #(
        .MEAN(MEAN)
    ) chance (
        .clk(clk),
        .rst(rst),
        .start(1'b0),
        .now(now)
    );
    reg thinned_reg;
    reg [31:0] token_reg, kept_reg;
    wire sends = PHASE == 0 || !thinned_reg || kept_reg == THIN - 1;
    wire accept = s_axis_x_tvalid && s_axis_x_tready;
    assign s_axis_x_tready = now && (!m_axis_y_tvalid || m_axis_y_tready);
    always @(posedge clk) begin
        if (accept)
            m_axis_y_tdata <= s_axis_x_tdata;
        if (rst)
            m_axis_y_tvalid <= 1'b0;
        else if (accept && sends)
            m_axis_y_tvalid <= 1'b1;
        else if (m_axis_y_tready)
            m_axis_y_tvalid <= 1'b0;
        if (rst) begin
            thinned_reg <= 1'b0;
            token_reg <= 32'd0;
            kept_reg <= 32'd0;
        end else if (accept && PHASE != 0) begin
            token_reg <= token_reg == PHASE - 1 ? 32'd0 : token_reg + 1'b1;
            if (token_reg == PHASE - 1)
                thinned_reg <= !thinned_reg;
            kept_reg <= sends ? 32'd0 : kept_reg + 1'b1;
        end
    end
endmodule

`resetall
