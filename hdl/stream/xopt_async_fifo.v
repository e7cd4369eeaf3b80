`resetall
`default_nettype none

// xopt_async_fifo: a queue between two streams of different clocks, with the AXI4-Stream handshake. A word moves in a
// cycle in which tvalid and tready are both high. Data are stable while tvalid waits for tready.
//
// Each side sends its position to the other through two registers, as a pointer in Gray code, in which one bit changes
// at a time. A bit that is sampled while it changes has its old or its new value, and both are safe. A side sees the
// pointer of the other side two to three of its own cycles late. Therefore the queue looks fuller to the writer and
// emptier to the reader than it is. If both clocks have approximately the same frequency, a queue of 16 words moves a
// word in every cycle of the slower clock.
//
// Both sides are reset together, for at least four cycles of each clock. One side may leave the reset before the other
// side.
module xopt_async_fifo #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Space for 2^LOG_DEPTH words in the memory, and one at the output; at least 2.
    parameter LOG_DEPTH = 4
) (
    input  wire             s_clk,
    input  wire             s_rst, // synchronous to s_clk
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             m_clk,
    input  wire             m_rst, // synchronous to m_clk
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready,
    output reg  [WIDTH-1:0] m_axis_tdata
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (LOG_DEPTH < 2)
            $fatal(1, "%m: LOG_DEPTH is %0d, want at least 2", LOG_DEPTH);
    end

    (* no_rw_check *) reg [WIDTH-1:0] memory [0:(1<<LOG_DEPTH)-1];
    // The pointers have one bit more than an address: the memory is full if they differ by its number of words.
    reg [LOG_DEPTH:0] write_pointer, write_gray, read_pointer, read_gray;
    reg full, empty;

    // The writer's side.
    (* async_reg = "true" *) reg [LOG_DEPTH:0] read_seen, read_known;
    wire write = s_axis_tvalid && !full;
    wire [LOG_DEPTH:0] write_next = write_pointer + {{LOG_DEPTH{1'b0}}, write};
    wire [LOG_DEPTH:0] write_gray_next = write_next ^ (write_next >> 1);
    assign s_axis_tready = !full;
    always @(posedge s_clk) begin
        if (write)
            memory[write_pointer[LOG_DEPTH-1:0]] <= s_axis_tdata;
        if (s_rst) begin
            write_pointer <= 0;
            write_gray <= 0;
            read_seen <= 0;
            read_known <= 0;
            full <= 1'b0;
        end else begin
            write_pointer <= write_next;
            write_gray <= write_gray_next;
            read_seen <= read_gray;
            read_known <= read_seen;
            // A pointer that is 2^LOG_DEPTH ahead has the two highest bits of its Gray code inverted.
            full <= write_gray_next == (read_known ^ {2'b11, {(LOG_DEPTH-1){1'b0}}});
        end
    end

    // The reader's side.
    (* async_reg = "true" *) reg [LOG_DEPTH:0] write_seen, write_known;
    wire read = !empty && (!m_axis_tvalid || m_axis_tready);
    wire [LOG_DEPTH:0] read_next = read_pointer + {{LOG_DEPTH{1'b0}}, read};
    wire [LOG_DEPTH:0] read_gray_next = read_next ^ (read_next >> 1);
    always @(posedge m_clk) begin
        if (read)
            m_axis_tdata <= memory[read_pointer[LOG_DEPTH-1:0]];
        if (m_rst) begin
            read_pointer <= 0;
            read_gray <= 0;
            write_seen <= 0;
            write_known <= 0;
            empty <= 1'b1;
            m_axis_tvalid <= 1'b0;
        end else begin
            read_pointer <= read_next;
            read_gray <= read_gray_next;
            write_seen <= write_gray;
            write_known <= write_seen;
            empty <= read_gray_next == write_known;
            m_axis_tvalid <= !empty || (m_axis_tvalid && !m_axis_tready);
        end
    end
endmodule

`resetall
