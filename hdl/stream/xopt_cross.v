// xopt_cross: a queue of 2^LOG_DEPTH words from one clock to another. Each side sees
// the other's pointer in Gray code, of which one bit changes at a time, through two
// registers. Both resets must be held until both clocks have run for some cycles.
module xopt_cross #(
    parameter WIDTH = 8,
    parameter LOG_DEPTH = 3 // at least 2
) (
    input  wire             s_clk,
    input  wire             s_rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    input  wire             m_clk,
    input  wire             m_rst,
    output reg              m_valid,
    input  wire             m_ready,
    output reg  [WIDTH-1:0] m_data
);
    reg [WIDTH-1:0] memory [0:(1<<LOG_DEPTH)-1];

    reg [LOG_DEPTH:0] head, head_gray; // of the writer's clock
    reg [LOG_DEPTH:0] tail, tail_gray; // of the reader's
    (* ASYNC_REG = "TRUE" *) reg [LOG_DEPTH:0] tail_near, tail_seen; // the reader's, at the writer
    (* ASYNC_REG = "TRUE" *) reg [LOG_DEPTH:0] head_near, head_seen; // the writer's, at the reader

    // The writer's side.
    wire [LOG_DEPTH:0] next_head = head + 1'b1;
    // Full: the pointers differ in both of the highest bits, and in no other.
    assign s_ready = head_gray != (tail_seen ^ {2'b11, {(LOG_DEPTH-1){1'b0}}});
    always @(posedge s_clk) begin
        if (s_valid && s_ready)
            memory[head[LOG_DEPTH-1:0]] <= s_data;
        if (s_rst) begin
            head <= 0;
            head_gray <= 0;
            tail_near <= 0;
            tail_seen <= 0;
        end else begin
            tail_near <= tail_gray;
            tail_seen <= tail_near;
            if (s_valid && s_ready) begin
                head <= next_head;
                head_gray <= next_head ^ (next_head >> 1);
            end
        end
    end

    // The reader's side.
    wire [LOG_DEPTH:0] next_tail = tail + 1'b1;
    wire read = tail_gray != head_seen && (!m_valid || m_ready);
    always @(posedge m_clk) begin
        if (read)
            m_data <= memory[tail[LOG_DEPTH-1:0]];
        if (m_rst) begin
            tail <= 0;
            tail_gray <= 0;
            head_near <= 0;
            head_seen <= 0;
            m_valid <= 1'b0;
        end else begin
            head_near <= head_gray;
            head_seen <= head_near;
            if (read) begin
                tail <= next_tail;
                tail_gray <= next_tail ^ (next_tail >> 1);
                m_valid <= 1'b1;
            end else if (m_ready)
                m_valid <= 1'b0;
        end
    end
endmodule
