`resetall
`default_nettype none

// xopt_downsizer: divides a word of a stream into RATIO words of another stream, the lowest bits first. One narrow word
// moves in every cycle.
module xopt_downsizer #(
    // Width of a narrow word; at least 1.
    parameter WIDTH = 8,
    // Narrow words per wide word; at least 2.
    parameter RATIO = 4,
    // 2^LOG_RATIO is at least RATIO.
    parameter LOG_RATIO = 2
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire [WIDTH*RATIO-1:0] s_axis_tdata,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire [WIDTH-1:0]       m_axis_tdata
);
    localparam [LOG_RATIO:0] ALL = RATIO[LOG_RATIO:0];
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (RATIO < 2 || (1 << LOG_RATIO) < RATIO)
            $fatal(1, "%m: RATIO is %0d and LOG_RATIO %0d, want RATIO >= 2 and 2^LOG_RATIO >= RATIO",
                RATIO, LOG_RATIO);
    end

    reg [WIDTH*RATIO-1:0] data_reg; // remaining data, the next word in the lowest bits
    reg [LOG_RATIO:0] count_reg; // remaining narrow words

    assign m_axis_tvalid = count_reg != 0;
    assign m_axis_tdata = data_reg[WIDTH-1:0];
    assign s_axis_tready = count_reg == 0 || (count_reg == 1 && m_axis_tready);

    always @(posedge clk) begin
        if (s_axis_tvalid && s_axis_tready)
            data_reg <= s_axis_tdata;
        else if (m_axis_tvalid && m_axis_tready)
            data_reg <= {{WIDTH{1'b0}}, data_reg[WIDTH*RATIO-1:WIDTH]};
        if (rst)
            count_reg <= 0;
        else if (s_axis_tvalid && s_axis_tready)
            count_reg <= ALL;
        else if (m_axis_tvalid && m_axis_tready)
            count_reg <= count_reg - 1'b1;
    end
endmodule

`resetall
