`resetall
`default_nettype none

// xopt_upsizer: combines RATIO words of a stream into one word of another stream, the first in the lowest bits. One
// narrow word moves in every cycle.
module xopt_upsizer #(
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
    input  wire [WIDTH-1:0]       s_axis_tdata,
    output reg                    m_axis_tvalid,
    input  wire                   m_axis_tready,
    output reg  [WIDTH*RATIO-1:0] m_axis_tdata
);
    localparam [LOG_RATIO-1:0] LAST = RATIO[LOG_RATIO-1:0] - 1'b1;
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (RATIO < 2 || (1 << LOG_RATIO) < RATIO)
            $fatal(1, "%m: RATIO is %0d and LOG_RATIO %0d, want RATIO >= 2 and 2^LOG_RATIO >= RATIO",
                RATIO, LOG_RATIO);
    end

    // The words of a group except the last. The group leaves as one word.
    reg [WIDTH*(RATIO-1)-1:0] part_reg; // the latest word in the highest bits
    wire [WIDTH*RATIO-1:0] group = {s_axis_tdata, part_reg};
    reg [LOG_RATIO-1:0] count_reg; // words in part_reg
    wire last = count_reg == LAST;

    assign s_axis_tready = !last || !m_axis_tvalid || m_axis_tready;

    always @(posedge clk) begin
        if (s_axis_tvalid && s_axis_tready)
            part_reg <= group[WIDTH*RATIO-1:WIDTH];
        if (s_axis_tvalid && s_axis_tready && last)
            m_axis_tdata <= group;
        if (rst) begin
            count_reg <= 0;
            m_axis_tvalid <= 1'b0;
        end else begin
            if (m_axis_tready)
                m_axis_tvalid <= 1'b0;
            if (s_axis_tvalid && s_axis_tready) begin
                count_reg <= last ? {LOG_RATIO{1'b0}} : count_reg + 1'b1;
                if (last)
                    m_axis_tvalid <= 1'b1;
            end
        end
    end
endmodule

`resetall
