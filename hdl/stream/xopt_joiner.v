`resetall
`default_nettype none

// xopt_joiner: merges the outputs of a kernel's copies in rotation. It forwards the WORDS words of one firing from each
// copy, and then starts again with the first copy. Thus the words leave in the same order as from a single copy. It
// waits for the copy that has the turn, and the other copies wait meanwhile. A word passes in the cycle in which it
// arrives. One word can pass in every cycle.
module xopt_joiner #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Number of copies; at least 2.
    parameter WAYS = 2,
    // Words in a copy's turn; at least 1.
    parameter WORDS = 1,
    // Width of a count of these words: 2^LOG_WORDS is at least WORDS; at least 1.
    parameter LOG_WORDS = 1
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [WAYS-1:0]       s_axis_tvalid,
    output wire [WAYS-1:0]       s_axis_tready,
    input  wire [WAYS*WIDTH-1:0] s_axis_tdata, // first copy in the lowest bits
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output reg  [WIDTH-1:0]      m_axis_tdata
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (WAYS < 2)
            $fatal(1, "%m: WAYS is %0d, want at least 2", WAYS);
        if (LOG_WORDS < 1 || WORDS < 1 || WORDS > 1 << LOG_WORDS)
            $fatal(1, "%m: WORDS is %0d, want 1 to 2^LOG_WORDS = %0d", WORDS, 1 << LOG_WORDS);
    end
    wire [WAYS-1:0] turn;
    wire move = m_axis_tvalid && m_axis_tready;
    xopt_turns #(.WAYS(WAYS), .WORDS(WORDS), .LOG_WORDS(LOG_WORDS)) turns (.clk(clk), .rst(rst), .move(move),
        .turn(turn));

    assign m_axis_tvalid = |(s_axis_tvalid & turn);
    assign s_axis_tready = turn & {WAYS{m_axis_tready}};

    integer i;
    always @* begin
        m_axis_tdata = {WIDTH{1'b0}};
        for (i = 0; i < WAYS; i = i + 1)
            m_axis_tdata = m_axis_tdata | (s_axis_tdata[i*WIDTH +: WIDTH] & {WIDTH{turn[i]}});
    end
endmodule

`resetall
