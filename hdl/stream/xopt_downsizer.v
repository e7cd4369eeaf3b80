// xopt_downsizer: a word of a stream becomes RATIO words of another, the lowest bits
// first. One narrow word moves in every cycle.
module xopt_downsizer #(
    parameter WIDTH = 8, // of a narrow word
    parameter RATIO = 4, // at least 2
    parameter LOG_RATIO = 2 // 2^LOG_RATIO is at least RATIO
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_valid,
    output wire                   s_ready,
    input  wire [WIDTH*RATIO-1:0] s_data,
    output wire                   m_valid,
    input  wire                   m_ready,
    output wire [WIDTH-1:0]       m_data
);
    reg [WIDTH*RATIO-1:0] rest; // what is to be sent, the next in the lowest bits
    reg [LOG_RATIO:0] left; // narrow words of it
    localparam [LOG_RATIO:0] ALL = RATIO[LOG_RATIO:0];

    assign m_valid = left != 0;
    assign m_data = rest[WIDTH-1:0];
    assign s_ready = left == 0 || (left == 1 && m_ready);

    always @(posedge clk) begin
        if (s_valid && s_ready)
            rest <= s_data;
        else if (m_valid && m_ready)
            rest <= {{WIDTH{1'b0}}, rest[WIDTH*RATIO-1:WIDTH]};
        if (rst)
            left <= 0;
        else if (s_valid && s_ready)
            left <= ALL;
        else if (m_valid && m_ready)
            left <= left - 1'b1;
    end
endmodule
