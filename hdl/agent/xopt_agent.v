`resetall
`default_nettype none

// xopt_agent: collects the counts of the taps of one FPGA and sends a record of each frame. A frame ends after a
// number of cycles or elements, or shortly after a command.
//
// A record consists of 32-bit words: RECORD_MAGIC, the header, the figures, the bins of the histograms, and a checksum.
// The last word is marked. The figures are the words that the taps shift out of their chain (see xopt_activity). For
// each word in order, the checksum is rotated left by CHECK_TURN bits and combined with the word by exclusive or.
//
// Records wait in a queue. A record that does not fit into the queue is dropped entirely and counted. A frame does not
// end before the record of the previous frame is complete. A record takes one cycle per word, five per bin, and a few
// more.
//
// Commands are 32-bit words, with an operation in the highest eight bits and a value in the other bits. A frame has at
// least two cycles. The element that ends it is detected two cycles late.
module xopt_agent #(
    // Number of words with figures; 1 to 65535.
    parameter WORDS = 4,
    // Number of histograms with 2^BIN_BITS bins each; 0 for none. There are at most 65535 bins in total.
    parameter HISTOGRAMS = 0,
    // Width of a bin number; at least 1.
    parameter BIN_BITS = 5,
    // The queue has space for 2^LOG_BUFFER words: at least one record and two words.
    parameter LOG_BUFFER = 8,
    // Follows from HISTOGRAMS: a signal has at least one bit.
    parameter SLOTS = HISTOGRAMS == 0 ? 1 : HISTOGRAMS
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_axis_command_tvalid,
    output wire                s_axis_command_tready,
    input  wire [31:0]         s_axis_command_tdata,
    input  wire                element, // an element has moved, if frames are counted in elements
    output wire                enable,
    output reg                 frame, // high in the last cycle of a frame
    output reg                 clear, // the taps restart from 0
    output wire                shift, // the taps' chain moves by one word
    input  wire [31:0]         chain, // first word of the chain
    output reg  [SLOTS-1:0]    read, // one bit per histogram
    output reg  [BIN_BITS-1:0] read_bin,
    input  wire [SLOTS-1:0]    read_valid,
    input  wire [32*SLOTS-1:0] read_count,
    output wire                m_axis_record_tvalid,
    input  wire                m_axis_record_tready,
    output wire [31:0]         m_axis_record_tdata,
    output wire                m_axis_record_tlast
);
    // Records and commands, generated from hdl/record.go, which the readers of records also use
    // (go test ./hdl -run Record -update).
    localparam [31:0] RECORD_MAGIC = 32'h54504f58;
    localparam RECORD_NUMBER = 1; // number of the frame, from 0
    localparam RECORD_LOST = 2; // records lost before this one
    localparam RECORD_SIZES = 3; // number of words with figures (lower half) and with bins (upper half)
    localparam RECORD_CYCLE_LOW = 4; // number of the last cycle of the frame, from 0, lower half
    localparam RECORD_CYCLE_HIGH = 5; // number of the last cycle of the frame, upper half
    localparam RECORD_FIGURES = 6; // index of the first figure; the bins and the checksum follow the figures
    localparam CHECK_TURN = 1; // bits to the left before each word
    localparam [7:0] COMMAND_RESTART = 8'd1; // reset all counts
    localparam [7:0] COMMAND_ENABLE = 8'd2; // bit 0: count; bit 1: frame lengths are in elements instead of cycles
    localparam [7:0] COMMAND_LENGTH_LOW = 8'd3; // store the lower 24 bits of the frame length
    localparam [7:0] COMMAND_LENGTH_HIGH = 8'd4; // set the frame length: these upper 8 bits and the stored lower 24
    localparam [7:0] COMMAND_END_FRAME = 8'd5; // end the frame now
    // End of the generated lines.
    localparam [31:0] BINS = HISTOGRAMS << BIN_BITS;
    localparam [31:0] RECORD = RECORD_FIGURES + WORDS + BINS + 1; // words of a record
    localparam HEADER = RECORD_FIGURES - 1; // header words between RECORD_MAGIC and the figures
    localparam LOG_WORDS = $clog2(WORDS + HEADER + 1);
    localparam [31:0] SHIFTS = WORDS + HEADER - 1;
    localparam [4:0] SETTLE = 5'd18; // cycles after a frame until the figures of all taps are final
    initial begin
        if (WORDS < 0 || WORDS > 65535)
            $fatal(1, "%m: WORDS is %0d, want 0 to 65535", WORDS);
        if (HISTOGRAMS < 0 || BIN_BITS < 1 || BINS > 65535)
            $fatal(1, "%m: HISTOGRAMS is %0d and BIN_BITS %0d, want at most 65535 bins", HISTOGRAMS, BIN_BITS);
        if (SLOTS != (HISTOGRAMS == 0 ? 1 : HISTOGRAMS))
            $fatal(1, "%m: SLOTS is %0d; do not set it (it follows from the other parameters)", SLOTS);
        if ((1 << LOG_BUFFER) < RECORD + 2)
            $fatal(1, "%m: LOG_BUFFER is %0d, want 2^LOG_BUFFER of at least %0d", LOG_BUFFER, RECORD + 2);
    end

    // Commands are decoded in one cycle and executed in the next.
    reg restart_reg, set_enable_reg, set_length_low_reg, set_length_high_reg, end_frame_reg;
    reg [23:0] value_reg;
    wire [7:0] operation = s_axis_command_tdata[31:24];
    assign s_axis_command_tready = 1'b1;
    always @(posedge clk) begin
        restart_reg <= s_axis_command_tvalid && operation == COMMAND_RESTART && !rst;
        set_enable_reg <= s_axis_command_tvalid && operation == COMMAND_ENABLE && !rst;
        set_length_low_reg <= s_axis_command_tvalid && operation == COMMAND_LENGTH_LOW && !rst;
        set_length_high_reg <= s_axis_command_tvalid && operation == COMMAND_LENGTH_HIGH && !rst;
        end_frame_reg <= s_axis_command_tvalid && operation == COMMAND_END_FRAME && !rst;
        value_reg <= s_axis_command_tdata[23:0];
    end

    // The commanded state.
    reg enable_reg, by_element_reg;
    reg [23:0] length_low_reg;
    reg [31:0] given_length_reg; // length of a frame; 0 for frames that end only by command
    reg [3:0] length_set_reg; // the length was received one to four cycles ago
    reg [31:0] length_reg; // length - 1; the upper half is computed a cycle after the lower half
    reg length_borrow_reg; // borrow of the lower half
    reg endless_reg; // frames end only by command
    reg at_most_two_reg, shortest_reg; // a frame has at most two cycles, and is not endless
    reg end_now_reg; // a command ended the frame
    reg reload_reg; // the current frame restarts
    assign enable = enable_reg;
    always @(posedge clk) begin
        end_now_reg <= end_frame_reg && enable_reg && !clear;
        clear <= restart_reg || rst;
        length_set_reg <= {length_set_reg[2:0], set_length_high_reg} & {4{!rst}};
        given_length_reg <= {value_reg[7:0], length_low_reg};
        reload_reg <= length_set_reg[3] || clear; // shortest_reg is valid by then
        if (length_set_reg[0]) begin
            {length_borrow_reg, length_reg[15:0]} <= {1'b0, given_length_reg[15:0]} - 1'b1;
            endless_reg <= given_length_reg == 0;
        end
        if (length_set_reg[1])
            length_reg[31:16] <= given_length_reg[31:16] - {15'd0, length_borrow_reg};
        at_most_two_reg <= length_reg[31:1] == 0;
        shortest_reg <= at_most_two_reg && !endless_reg;
        if (set_enable_reg) begin
            enable_reg <= value_reg[0];
            by_element_reg <= value_reg[1];
        end
        if (set_length_low_reg)
            length_low_reg <= value_reg;
        if (rst) begin
            enable_reg <= 1'b0;
            by_element_reg <= 1'b0;
            length_low_reg <= 0;
            endless_reg <= 1'b1;
            length_reg <= 0;
        end
    end

    // Frames. The remaining length is counted in two halves. Flags that depend on a count are computed when it
    // changes.
    reg [15:0] left_low_reg, left_high_reg;
    reg low_zero_reg, high_zero_reg; // the halves are 0
    reg step_reg; // a cycle or an element of the frame
    reg last_step_reg; // the next step is the last of the frame
    reg overdue_reg; // the frame is over, and waits for the previous record
    wire frame_over = (step_reg && last_step_reg && !frame) || overdue_reg || end_now_reg;
    wire record_idle;
    always @(posedge clk) begin
        step_reg <= enable_reg && (!by_element_reg || element) && !clear;
        frame <= frame_over && record_idle && !frame && !clear;
        overdue_reg <= frame_over && !(record_idle && !frame) && enable_reg && !clear;
        if (reload_reg || frame) begin
            left_low_reg <= length_reg[15:0];
            left_high_reg <= length_reg[31:16];
            low_zero_reg <= length_reg[15:0] == 0;
            high_zero_reg <= length_reg[31:16] == 0;
            last_step_reg <= shortest_reg;
        end else if (step_reg && !last_step_reg) begin
            left_low_reg <= left_low_reg - 1'b1;
            low_zero_reg <= left_low_reg == 1;
            if (low_zero_reg) begin
                left_high_reg <= left_high_reg - 1'b1;
                high_zero_reg <= left_high_reg == 1;
            end
            last_step_reg <= left_low_reg == 2 && high_zero_reg && !endless_reg;
        end
    end

    // The queue of records.
    reg write_reg, write_last_reg;
    reg [31:0] word_reg, check_reg;
    wire [LOG_BUFFER+1:0] occupancy;
    wire queue_ready; // there is space; otherwise the record is dropped
    xopt_fifo #(
        .WIDTH(33),
        .LOG_DEPTH(LOG_BUFFER)
    ) queue (
        .clk(clk),
        .rst(clear),
        .s_axis_tvalid(write_reg),
        .s_axis_tready(queue_ready),
        .s_axis_tdata({write_last_reg, word_reg}),
        .m_axis_tvalid(m_axis_record_tvalid),
        .m_axis_tready(m_axis_record_tready),
        .m_axis_tdata({m_axis_record_tlast, m_axis_record_tdata}),
        .occupancy(occupancy)
    );
    localparam [31:0] MAX_OCCUPANCY = (1 << LOG_BUFFER) - RECORD - 2; // two words may be in transit
    reg [LOG_BUFFER+1:0] occupancy_reg;
    reg record_fits_reg; // until the next record starts, the free space only grows
    always @(posedge clk) begin
        occupancy_reg <= occupancy;
        record_fits_reg <= record_idle && occupancy_reg <= MAX_OCCUPANCY[LOG_BUFFER+1:0];
    end

    // The header of each record. The cycle counter is one cycle late, because it is sampled one cycle after the end
    // of the frame.
    reg frame_reg, clear_reg; // a cycle late
    reg count_loss_reg;
    reg record_lost_reg; // a dropped record is also assembled, to clear the bins
    wire [31:0] number, lost;
    wire [63:0] cycle;
    xopt_count #(
        .CHUNKS(4)
    ) count_cycles (
        .clk(clk),
        .rst(clear_reg),
        .step(1'b1),
        .count(cycle)
    );
    xopt_count count_frames (
        .clk(clk),
        .rst(clear),
        .step(frame_reg),
        .count(number)
    );
    xopt_count count_losses (
        .clk(clk),
        .rst(clear),
        .step(count_loss_reg),
        .count(lost)
    );
    wire [32*HEADER-1:0] header; // each word in its position
    assign header[32*(RECORD_NUMBER-1) +: 32] = number;
    assign header[32*(RECORD_LOST-1) +: 32] = lost;
    assign header[32*(RECORD_SIZES-1) +: 32] = {BINS[15:0], WORDS[15:0]};
    assign header[32*(RECORD_CYCLE_LOW-1) +: 32] = cycle[31:0];
    assign header[32*(RECORD_CYCLE_HIGH-1) +: 32] = cycle[63:32];
    always @(posedge clk) begin
        clear_reg <= clear;
        frame_reg <= frame && !clear;
        count_loss_reg <= frame_reg && record_lost_reg && !clear; // after the record has received the previous number
        if (frame)
            record_lost_reg <= !record_fits_reg;
    end

    // A record in progress. Each state is one bit. None is set while the figures settle, or while a histogram
    // responds.
    localparam STATE_IDLE = 0; // no record is in progress
    localparam STATE_MAGIC = 1; // RECORD_MAGIC is sent
    localparam STATE_WORDS = 2; // sending header and figures; the figures follow from the taps' chain
    localparam STATE_READ_BIN = 3; // requesting a bin from a histogram
    localparam STATE_SEND_BIN = 4; // the histogram has responded
    localparam STATE_LAST_WORD = 5; // the checksum includes the last word
    localparam STATE_CHECK = 6; // sending the checksum
    localparam STATES = 7;
    reg [STATES-1:0] state_reg, state_next;
    reg [4:0] settle_reg; // cycles until the figures have settled
    reg [LOG_WORDS-1:0] shifts_reg; // remaining shifts
    reg last_shift_reg;
    reg [32*HEADER-1:0] words_reg; // words to send, the next in the lowest bits
    reg [SLOTS-1:0] histogram_reg; // the histogram that is read
    reg last_bin_reg; // the current bin is the last
    reg [31:0] bin_reg;
    wire histogram_read = state_reg[STATE_SEND_BIN] && last_bin_reg;
    wire all_read = histogram_read && histogram_reg[SLOTS-1];
    assign record_idle = state_reg[STATE_IDLE];
    assign shift = state_reg[STATE_WORDS];
    always @* begin
        state_next[STATE_IDLE] = state_reg[STATE_IDLE] ? !frame : state_reg[STATE_CHECK];
        state_next[STATE_MAGIC] = settle_reg == 1;
        state_next[STATE_WORDS] = state_reg[STATE_MAGIC] || (state_reg[STATE_WORDS] && !last_shift_reg);
        state_next[STATE_READ_BIN] = HISTOGRAMS > 0 &&
            (last_shift_reg || (state_reg[STATE_SEND_BIN] && !all_read));
        state_next[STATE_SEND_BIN] = |read_valid;
        state_next[STATE_LAST_WORD] = HISTOGRAMS > 0 ? all_read : last_shift_reg;
        state_next[STATE_CHECK] = state_reg[STATE_LAST_WORD];
        if (clear) begin
            state_next = 0;
            state_next[STATE_IDLE] = 1'b1;
        end
    end
    integer i;
    always @(posedge clk) begin
        state_reg <= state_next;
        if (clear)
            settle_reg <= 0;
        else if (frame_reg)
            settle_reg <= SETTLE;
        else if (settle_reg != 0)
            settle_reg <= settle_reg - 1'b1;

        shifts_reg <= state_reg[STATE_MAGIC] ? SHIFTS[LOG_WORDS-1:0] : shifts_reg - 1'b1;
        last_shift_reg <= state_reg[STATE_WORDS] && shifts_reg == 1 && !clear;
        if (frame_reg)
            words_reg <= header;
        else if (state_reg[STATE_WORDS])
            words_reg <= {chain, words_reg[32*HEADER-1:32]};

        read <= state_reg[STATE_READ_BIN] && !clear ? histogram_reg : {SLOTS{1'b0}};
        if (state_reg[STATE_READ_BIN])
            last_bin_reg <= &read_bin;
        if (histogram_read)
            histogram_reg <= histogram_reg << 1;
        if (state_reg[STATE_SEND_BIN])
            read_bin <= read_bin + 1'b1;
        if (frame_reg) begin
            histogram_reg <= 1;
            read_bin <= 0;
        end
        bin_reg <= 0;
        for (i = 0; i < SLOTS; i = i + 1)
            if (read_valid[i])
                bin_reg <= read_count[32*i +: 32];

        if (frame_reg)
            check_reg <= 0;
        else if (write_reg)
            check_reg <= {check_reg[31-CHECK_TURN:0], check_reg[31:32-CHECK_TURN]} ^ word_reg;
        write_reg <= !record_lost_reg && !clear && (state_reg[STATE_MAGIC] || state_reg[STATE_WORDS] ||
            state_reg[STATE_SEND_BIN] || state_reg[STATE_CHECK]);
        write_last_reg <= state_reg[STATE_CHECK];
        word_reg <= state_reg[STATE_MAGIC] ? RECORD_MAGIC : state_reg[STATE_SEND_BIN] ? bin_reg :
            state_reg[STATE_CHECK] ? check_reg : words_reg[31:0];
    end
    wire unused = &{1'b0, queue_ready, MAX_OCCUPANCY, SHIFTS};
endmodule

`resetall
