// xopt_fifo: a queue of DEPTH + 1 words between two streams (AXI4-Stream handshake:
// a word moves in a cycle in which valid and ready are both high; data stay as they
// are while valid waits for ready).
//
// Words are kept in a memory that is read synchronously, so that block RAM is used
// where there is one; the word to be sent next stands in a register. A word takes two
// cycles through an empty queue; one word moves in every cycle.
module xopt_fifo #(
    parameter WIDTH = 8,
    parameter LOG_DEPTH = 4 // 2^LOG_DEPTH words in memory, and one at the output
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output reg              m_valid,
    input  wire             m_ready,
    output reg  [WIDTH-1:0] m_data,
    output wire [LOG_DEPTH+1:0] occupancy // words inside
);
    (* no_rw_check *) reg [WIDTH-1:0] memory [0:(1<<LOG_DEPTH)-1];
    reg [LOG_DEPTH-1:0] head, tail;
    // How many words the memory holds, and what follows from it, found out a cycle before
    // it is needed.
    reg [LOG_DEPTH:0] stored;
    reg some, full;
    wire write = s_valid && !full;
    wire read = some && (!m_valid || m_ready);

    assign s_ready = !full;
    assign occupancy = {1'b0, stored} + {{(LOG_DEPTH+1){1'b0}}, m_valid};

    always @(posedge clk) begin
        if (write)
            memory[head] <= s_data;
        if (read)
            m_data <= memory[tail];
        if (rst) begin
            head <= 0;
            tail <= 0;
            stored <= 0;
            some <= 1'b0;
            full <= 1'b0;
            m_valid <= 1'b0;
        end else begin
            if (write)
                head <= head + 1'b1;
            if (read)
                tail <= tail + 1'b1;
            if (write && !read) begin
                stored <= stored + 1'b1;
                some <= 1'b1;
                full <= &stored[LOG_DEPTH-1:0];
            end else if (read && !write) begin
                stored <= stored - 1'b1;
                some <= stored != 1;
                full <= 1'b0;
            end
            m_valid <= some || (m_valid && !m_ready);
        end
    end
endmodule
