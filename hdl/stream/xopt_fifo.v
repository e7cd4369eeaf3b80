`resetall
`default_nettype none

// xopt_fifo: a queue of 2^LOG_DEPTH + 1 words between two streams, with the AXI4-Stream handshake. A word moves in a
// cycle in which tvalid and tready are both high. Data are stable while tvalid waits for tready.
//
// Words are stored in a memory with synchronous reads, which can be a block RAM. The next output word is in a
// register. A word passes an empty queue in two cycles. One word can move in every cycle.
module xopt_fifo #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Space for 2^LOG_DEPTH words in the memory, and one at the output; at least 1.
    parameter LOG_DEPTH = 4
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,
    input  wire [WIDTH-1:0]     s_axis_tdata,
    output reg                  m_axis_tvalid,
    input  wire                 m_axis_tready,
    output reg  [WIDTH-1:0]     m_axis_tdata,
    output wire [LOG_DEPTH+1:0] occupancy // words in the queue
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (LOG_DEPTH < 1)
            $fatal(1, "%m: LOG_DEPTH is %0d, want at least 1", LOG_DEPTH);
    end

    (* no_rw_check *) reg [WIDTH-1:0] memory [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH-1:0] write_pointer, read_pointer;
    // The number of words in the memory, and flags that depend on it. They are computed one cycle before they are used.
    reg [LOG_DEPTH:0] stored;
    reg not_empty, full;
    wire write = s_axis_tvalid && !full;
    wire read = not_empty && (!m_axis_tvalid || m_axis_tready);

    assign s_axis_tready = !full;
    assign occupancy = {1'b0, stored} + {{(LOG_DEPTH+1){1'b0}}, m_axis_tvalid};

    always @(posedge clk) begin
        if (write)
            memory[write_pointer] <= s_axis_tdata;
        if (read)
            m_axis_tdata <= memory[read_pointer];
        if (rst) begin
            write_pointer <= 0;
            read_pointer <= 0;
            stored <= 0;
            not_empty <= 1'b0;
            full <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end else begin
            if (write)
                write_pointer <= write_pointer + 1'b1;
            if (read)
                read_pointer <= read_pointer + 1'b1;
            if (write && !read) begin
                stored <= stored + 1'b1;
                not_empty <= 1'b1;
                full <= &stored[LOG_DEPTH-1:0];
            end else if (read && !write) begin
                stored <= stored - 1'b1;
                not_empty <= stored != 1;
                full <= 1'b0;
            end
            m_axis_tvalid <= not_empty || (m_axis_tvalid && !m_axis_tready);
        end
    end
endmodule

`resetall
