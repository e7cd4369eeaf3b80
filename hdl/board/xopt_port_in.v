`resetall
`default_nettype none

// xopt_port_in: forwards words that a host writes to a register to a stream. A word of the stream consists of BEATS
// 32-bit words, lowest bits first. It is sent when its last 32-bit word is written. Bits beyond its width are ignored.
// The host must check the number of free words, because a word is lost if the queue is full.
module xopt_port_in #(
    // Width of a stream word; at least 1.
    parameter WIDTH = 32,
    // Number of 32-bit words for WIDTH bits.
    parameter BEATS = 1,
    // The queue has space for 2^LOG_DEPTH words; 2 to 14.
    parameter LOG_DEPTH = 4
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             write,
    input  wire [31:0]      write_data,
    output wire [31:0]      room, // free words of the stream
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready,
    output wire [WIDTH-1:0] m_axis_tdata
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (BEATS != (WIDTH + 31) / 32)
            $fatal(1, "%m: BEATS is %0d, want %0d", BEATS, (WIDTH + 31) / 32);
        if (LOG_DEPTH < 2 || LOG_DEPTH > 14)
            $fatal(1, "%m: LOG_DEPTH is %0d, want 2 to 14", LOG_DEPTH);
    end

    localparam LAST_BEAT = BEATS - 1;
    localparam LOG_BEATS = BEATS > 1 ? $clog2(BEATS) : 1;
    reg [32*BEATS-1:0] word_reg;
    reg [LOG_BEATS-1:0] beat_reg;
    reg whole_reg;
    wire [32*BEATS+31:0] shifted = {write_data, word_reg};
    always @(posedge clk) begin
        whole_reg <= !rst && write && beat_reg == LAST_BEAT[LOG_BEATS-1:0];
        if (write) begin
            word_reg <= shifted[32*BEATS+31:32];
            beat_reg <= beat_reg == LAST_BEAT[LOG_BEATS-1:0] ? {LOG_BEATS{1'b0}} : beat_reg + 1'b1;
        end
        if (rst)
            beat_reg <= {LOG_BEATS{1'b0}};
    end
    wire ready; // otherwise the word is lost
    wire [LOG_DEPTH+1:0] occupancy;
    xopt_fifo #(
        .WIDTH(WIDTH),
        .LOG_DEPTH(LOG_DEPTH)
    ) queue (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(whole_reg),
        .s_axis_tready(ready),
        .s_axis_tdata(word_reg[WIDTH-1:0]),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .occupancy(occupancy)
    );
    // One word may be in transit, and the word at the output is not in the memory.
    localparam [LOG_DEPTH+1:0] MOST = (1 << LOG_DEPTH) - 1;
    wire [LOG_DEPTH+1:0] left = occupancy >= MOST ? {(LOG_DEPTH+2){1'b0}} : MOST - occupancy;
    assign room = {{(30-LOG_DEPTH){1'b0}}, left};
    wire unused = &{1'b0, ready, word_reg, shifted};
endmodule

`resetall
