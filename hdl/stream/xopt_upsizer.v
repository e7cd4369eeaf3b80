// xopt_upsizer: RATIO words of a stream become one word of another, the first in the
// lowest bits. One narrow word moves in every cycle.
module xopt_upsizer #(
    parameter WIDTH = 8,
    parameter RATIO = 4, // at least 2
    parameter LOG_RATIO = 2 // 2^LOG_RATIO is at least RATIO
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_valid,
    output wire                   s_ready,
    input  wire [WIDTH-1:0]       s_data,
    output reg                    m_valid,
    input  wire                   m_ready,
    output reg  [WIDTH*RATIO-1:0] m_data
);
    // What came before the last word of a group waits here; the group leaves whole.
    reg [WIDTH*(RATIO-1)-1:0] part; // the latest in the highest bits
    wire [WIDTH*RATIO-1:0] group = {s_data, part};
    reg [LOG_RATIO-1:0] count;
    localparam [LOG_RATIO-1:0] LAST = RATIO[LOG_RATIO-1:0] - 1'b1;
    wire last = count == LAST;

    assign s_ready = !last || !m_valid || m_ready;

    always @(posedge clk) begin
        if (s_valid && s_ready)
            part <= group[WIDTH*RATIO-1:WIDTH];
        if (s_valid && s_ready && last)
            m_data <= group;
        if (rst) begin
            count <= 0;
            m_valid <= 1'b0;
        end else begin
            if (m_ready)
                m_valid <= 1'b0;
            if (s_valid && s_ready) begin
                count <= last ? {LOG_RATIO{1'b0}} : count + 1'b1;
                if (last)
                    m_valid <= 1'b1;
            end
        end
    end
endmodule
