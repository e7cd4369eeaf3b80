// xopt_agent: collects what the taps of one FPGA have counted, and sends a record of each
// frame. It holds the frame: it ends after some cycles, or some elements, and soon after
// it is told to.
//
// A record is words of 32 bits, the last marked: RECORD_MAGIC; the words of the header, the
// figures, that is, the words that the taps shift out of their chain (see xopt_activity); the bins
// of the histograms, one after the other; a check: each word in turn, added by exclusive or to
// the check turned left by CHECK_TURN bits.
//
// Records wait in a queue for whoever takes them. A record that the queue has no room
// for is lost whole, and counted. A frame does not end before the record of the one before
// has been made: one cycle for each word, five for each bin, and some.
//
// Commands are words of 32 bits, an operation in the highest eight and a value below. A frame
// has two cycles at least; the element that ends it is seen two cycles late.
module xopt_agent #(
    parameter WORDS = 4, // of figures, at least 1
    parameter HISTOGRAMS = 0,
    parameter BIN_BITS = 5,
    parameter LOG_BUFFER = 8, // words of the queue
    parameter SLOTS = HISTOGRAMS == 0 ? 1 : HISTOGRAMS // no signal has no bits
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_command_valid,
    output wire                s_command_ready,
    input  wire [31:0]         s_command_data,
    input  wire                element, // one has moved, where frames are of elements
    output wire                enable,
    output reg                 frame, // high in its last cycle
    output reg                 clear, // the taps start anew
    output reg                 shift, // the taps' chain moves by a word
    input  wire [31:0]         chain, // its first word
    output reg  [SLOTS-1:0]    read, // one bit for each histogram
    output reg  [BIN_BITS-1:0] read_bin,
    input  wire [SLOTS-1:0]    read_valid,
    input  wire [32*SLOTS-1:0] read_count,
    output wire                m_record_valid,
    input  wire                m_record_ready,
    output wire [31:0]         m_record_data,
    output wire                m_record_last
);
    // Of records and commands: generated from hdl/record.go, which the readers of records share
    // (go test ./hdl -run Record -update).
    localparam [31:0] RECORD_MAGIC = 32'h54504f58;
    localparam RECORD_NUMBER = 1; // of the frame, from 0
    localparam RECORD_LOST = 2; // records that were lost before this one
    localparam RECORD_SIZES = 3; // words of figures, lower half, and of bins, upper half
    localparam RECORD_CYCLE_LOW = 4; // in which the frame ended, from 0, lower half
    localparam RECORD_CYCLE_HIGH = 5; // upper half
    localparam RECORD_FIGURES = 6; // the first; then the bins, and a check
    localparam CHECK_TURN = 1; // bits to the left before each word
    localparam [7:0] COMMAND_RESTART = 8'd1; // forget everything that was counted
    localparam [7:0] COMMAND_ENABLE = 8'd2; // bit 0: count; bit 1: frames are of elements, not of cycles
    localparam [7:0] COMMAND_LENGTH_LOW = 8'd3; // keep the lower 24 bits of the length of a frame
    localparam [7:0] COMMAND_LENGTH_HIGH = 8'd4; // set the length of a frame, with the upper 8 bits
    localparam [7:0] COMMAND_END_FRAME = 8'd5; // end the frame now
    // End of what is generated.
    localparam [31:0] BINS = HISTOGRAMS << BIN_BITS;
    localparam [31:0] RECORD = RECORD_FIGURES + WORDS + BINS + 1;
    localparam SETTLE = 18; // cycles after a frame: by then the figures of all taps stand
    localparam HEADER = RECORD_FIGURES - 1; // words before the figures, behind RECORD_MAGIC
    localparam LOG_WORDS = $clog2(WORDS + HEADER + 1);
    localparam [31:0] SHIFTS = WORDS + HEADER - 1;

    // Commands: found out in one cycle what they are, carried out in the next.
    reg anew, enables, low_comes, high_comes, ends_frame;
    reg [23:0] given_now;
    wire [7:0] operation = s_command_data[31:24];
    assign s_command_ready = 1'b1;
    always @(posedge clk) begin
        anew <= s_command_valid && operation == COMMAND_RESTART && !rst;
        enables <= s_command_valid && operation == COMMAND_ENABLE && !rst;
        low_comes <= s_command_valid && operation == COMMAND_LENGTH_LOW && !rst;
        high_comes <= s_command_valid && operation == COMMAND_LENGTH_HIGH && !rst;
        ends_frame <= s_command_valid && operation == COMMAND_END_FRAME && !rst;
        given_now <= s_command_data[23:0];
    end
    reg on, by_element;
    reg [23:0] low;
    reg [31:0] length; // less one; its upper half is made a cycle after the lower
    reg borrow;
    reg unit, endless, alone; // the length is two cycles or less; frames end by command only
    reg now;
    reg [31:0] given;
    reg set, set_late, set_later, set_last, again;
    assign enable = on;
    always @(posedge clk) begin
        now <= ends_frame && on && !clear;
        clear <= anew || rst;
        set <= high_comes && !rst;
        given <= {given_now[7:0], low};
        set_late <= set && !rst;
        set_later <= set_late && !rst;
        set_last <= set_later && !rst; // alone is right a cycle later
        again <= set_last || clear; // the frame at hand begins anew
        if (set) begin
            {borrow, length[15:0]} <= {1'b0, given[15:0]} - 1'b1;
            endless <= given == 0;
        end
        if (set_late)
            length[31:16] <= given[31:16] - {15'd0, borrow};
        unit <= length[31:1] == 0;
        alone <= unit && !endless;
        if (enables) begin
            on <= given_now[0];
            by_element <= given_now[1];
        end
        if (low_comes)
            low <= given_now;
        if (rst) begin
            on <= 1'b0;
            by_element <= 1'b0;
            low <= 0;
            endless <= 1'b1;
            length <= 0;
        end
    end

    // Frames.
    reg idle; // no record is being made
    reg [15:0] left, left_high; // of the frame, in halves
    reg empty, only_low; // left is 0; left_high is
    reg one, step, due;
    wire ending = (step && one && !frame) || due || now;
    always @(posedge clk) begin
        step <= on && (!by_element || element) && !clear;
        frame <= ending && idle && !frame && !clear;
        due <= ending && !(idle && !frame) && on && !clear;
        if (again || frame) begin
            left <= length[15:0];
            left_high <= length[31:16];
            empty <= length[15:0] == 0;
            only_low <= length[31:16] == 0;
            one <= alone;
        end else if (step && !one) begin
            left <= left - 1'b1;
            empty <= left == 1;
            if (empty) begin
                left_high <= left_high - 1'b1;
                only_low <= left_high == 1;
            end
            one <= left == 2 && only_low && !endless;
        end
    end

    // The queue of records.
    reg put, last;
    reg [31:0] word, check;
    wire [LOG_BUFFER+1:0] occupancy;
    wire queue_ready;
    xopt_fifo #(.WIDTH(33), .LOG_DEPTH(LOG_BUFFER)) queue (
        .clk(clk), .rst(clear),
        .s_valid(put), .s_ready(queue_ready), .s_data({last, word}),
        .m_valid(m_record_valid), .m_ready(m_record_ready), .m_data({m_record_last, m_record_data}),
        .occupancy(occupancy));
    reg fits; // while no record is made, there can only be more room later
    localparam [31:0] MOST = (1 << LOG_BUFFER) - RECORD - 2; // two words may be on their way
    localparam NEVER = (1 << LOG_BUFFER) < RECORD_FIGURES + WORDS + (HISTOGRAMS << BIN_BITS) + 3;
    reg [LOG_BUFFER+1:0] stored;
    always @(posedge clk) begin
        stored <= occupancy;
        fits <= !NEVER && idle && stored <= MOST[LOG_BUFFER+1:0];
    end

    // What each record begins with. The cycle is counted a cycle late, as it is looked at one
    // after the frame has ended.
    reg begun, loses, clear_late;
    reg losing; // a record that is lost is made all the same, for the bins to be cleared
    wire [31:0] number, lost;
    wire [63:0] cycle;
    xopt_count #(.CHUNKS(4)) cycles (.clk(clk), .rst(clear_late), .step(1'b1), .count(cycle));
    xopt_count numbers (.clk(clk), .rst(clear), .step(begun), .count(number));
    xopt_count losses (.clk(clk), .rst(clear), .step(loses), .count(lost));
    always @(posedge clk) begin
        clear_late <= clear;
        begun <= frame && !clear;
        loses <= begun && losing && !clear; // counted when the record has the number of those before it
        if (frame)
            losing <= !fits;
    end

    // A record in the making: RECORD_MAGIC; then header, through which the taps' chain moves; then
    // bins, asked for one by one; then the check, when it has seen the last word. Every step
    // is a bit of its own.
    reg [SETTLE-1:0] settling;
    reg start, ends, ask, bin_came, last_bin, pause, finish;
    reg [32*HEADER-1:0] header;
    wire [32*HEADER-1:0] first; // the words of the header, each at its place
    assign first[32*(RECORD_NUMBER-1) +: 32] = number;
    assign first[32*(RECORD_LOST-1) +: 32] = lost;
    assign first[32*(RECORD_SIZES-1) +: 32] = {BINS[15:0], WORDS[15:0]};
    assign first[32*(RECORD_CYCLE_LOW-1) +: 32] = cycle[31:0];
    assign first[32*(RECORD_CYCLE_HIGH-1) +: 32] = cycle[63:32];
    reg [LOG_WORDS-1:0] shifts; // that are still to come
    reg [SLOTS-1:0] which; // histogram
    reg [31:0] bin;
    wire last_came = bin_came && last_bin;
    integer i;
    always @(posedge clk) begin
        settling <= {settling[SETTLE-2:0], begun};
        start <= settling[SETTLE-1];
        shifts <= shifts - 1'b1;
        ends <= shift && shifts == 1;
        if (start) begin
            shifts <= SHIFTS[LOG_WORDS-1:0];
            shift <= 1'b1;
        end else if (ends)
            shift <= 1'b0;
        if (begun)
            header <= first;
        else if (shift)
            header <= {chain, header[32*HEADER-1:32]};

        ask <= HISTOGRAMS > 0 && (ends || (bin_came && !(last_bin && which[SLOTS-1])));
        read <= ask ? which : {SLOTS{1'b0}};
        if (ask)
            last_bin <= &read_bin;
        if (last_came)
            which <= which << 1;
        if (bin_came)
            read_bin <= read_bin + 1'b1;
        if (begun) begin
            which <= 1;
            read_bin <= 0;
        end
        bin_came <= |read_valid;
        bin <= 0;
        for (i = 0; i < SLOTS; i = i + 1)
            if (read_valid[i])
                bin <= read_count[32*i +: 32];

        pause <= HISTOGRAMS > 0 ? last_came && which[SLOTS-1] : ends;
        finish <= pause;
        if (begun)
            check <= 0;
        else if (put)
            check <= {check[31-CHECK_TURN:0], check[31:32-CHECK_TURN]} ^ word;
        put <= !losing && (start || shift || bin_came || finish);
        last <= finish;
        word <= start ? RECORD_MAGIC : bin_came ? bin : finish ? check : header[31:0];
        if (frame)
            idle <= 1'b0;
        else if (finish)
            idle <= 1'b1;
        if (clear) begin
            settling <= 0;
            {start, shift, ends, ask, bin_came, pause, finish, put} <= 0;
            read <= 0;
            idle <= 1'b1;
        end
    end
    wire unused = &{1'b0, queue_ready, MOST, SHIFTS};
endmodule
