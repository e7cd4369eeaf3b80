`resetall
`default_nettype none

// xopt_splitter: distributes the words of a stream to a kernel's copies in rotation. It sends the WORDS words of one
// firing to each copy, and then starts again with the first copy. A word passes in the cycle in which it arrives. One
// word can pass in every cycle.
module xopt_splitter #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Number of copies; at least 2.
    parameter WAYS = 2,
    // Words in a copy's turn; at least 1.
    parameter WORDS = 1,
    // Width of a count of these words: 2^LOG_WORDS is at least WORDS; at least 1.
    parameter LOG_WORDS = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    output wire [WAYS-1:0]  m_axis_tvalid,
    input  wire [WAYS-1:0]  m_axis_tready,
    output wire [WIDTH-1:0] m_axis_tdata // for the copy that has the turn
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
    wire move = s_axis_tvalid && s_axis_tready;
    xopt_turns #(.WAYS(WAYS), .WORDS(WORDS), .LOG_WORDS(LOG_WORDS)) turns (.clk(clk), .rst(rst), .move(move),
        .turn(turn));

    assign m_axis_tvalid = {WAYS{s_axis_tvalid}} & turn;
    assign m_axis_tdata = s_axis_tdata;
    assign s_axis_tready = |(turn & m_axis_tready);
endmodule

`resetall
