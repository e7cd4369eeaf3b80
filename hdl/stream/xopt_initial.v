`resetall
`default_nettype none

// xopt_initial: sends initial words on a stream after a reset, before the first input word: the initial elements of an
// edge. A queue after the module accepts one of these words in every cycle. After that, every input word passes in the
// cycle in which it arrives.
module xopt_initial #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Number of initial words; at least 1.
    parameter WORDS = 1,
    // Words in VALUES: WORDS, or 1 if all are equal.
    parameter TABLE = 1,
    // Width of a counter up to WORDS.
    parameter LOG_WORDS = 1,
    // The initial words, the first in the lowest bits.
    parameter [WIDTH*TABLE-1:0] VALUES = {WIDTH*TABLE{1'b0}}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready,
    output wire [WIDTH-1:0] m_axis_tdata
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (WORDS < 1)
            $fatal(1, "%m: WORDS is %0d, want at least 1", WORDS);
        if (TABLE != 1 && TABLE != WORDS)
            $fatal(1, "%m: TABLE is %0d, want 1 or %0d", TABLE, WORDS);
        if (LOG_WORDS < 1 || (1 << LOG_WORDS) < WORDS)
            $fatal(1, "%m: LOG_WORDS is %0d, too small for %0d words", LOG_WORDS, WORDS);
    end

    reg filling;
    reg [LOG_WORDS-1:0] next; // index of the next word
    wire [WIDTH-1:0] word;
    generate
        if (TABLE == 1) begin : same
            assign word = VALUES[WIDTH-1:0];
        end else begin : table_of
            assign word = VALUES[next*WIDTH +: WIDTH];
        end
    endgenerate
    localparam LAST = WORDS - 1;

    assign m_axis_tvalid = filling || s_axis_tvalid;
    assign s_axis_tready = !filling && m_axis_tready;
    assign m_axis_tdata = filling ? word : s_axis_tdata;

    always @(posedge clk) begin
        if (rst) begin
            filling <= 1'b1;
            next <= 0;
        end else if (filling && m_axis_tready) begin
            filling <= next != LAST[LOG_WORDS-1:0];
            next <= next + 1'b1;
        end
    end
endmodule

`resetall
