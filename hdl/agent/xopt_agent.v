// xopt_agent: collects what the taps of one FPGA have counted, and sends a record of each
// frame. It holds the frame: it ends after some cycles, or some elements, and soon after
// it is told to.
//
// A record is words of 32 bits, the last marked: MAGIC; the number of the frame; records
// that were lost before it; the words of figures and of bins; the cycle in which the
// frame ended, lower half first; the figures, that is, the words that the taps shift out
// of their chain (see xopt_activity); the bins of the histograms, one after the other; a
// check: each word in turn, added by exclusive or to the check turned left by one bit.
//
// Records wait in a queue for whoever takes them. A record that the queue has no room
// for is lost whole, and counted. A frame does not end before the record of the one before
// has been made: one cycle for each word, three for each bin, and some.
//
// Commands are words of 32 bits, an operation in the highest eight: 1 starts anew; 2
// enables (bit 0) and lets frames be of elements (bit 1); 3 keeps the lower 24 bits of
// the length of a frame, and 4 sets it, with the upper 8 (a frame has two cycles at
// least; the element that ends it is seen two cycles late); 5 ends the frame.
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
    localparam [31:0] MAGIC = 32'h54504f58;
    localparam [31:0] BINS = HISTOGRAMS << BIN_BITS;
    localparam [31:0] RECORD = WORDS + BINS + 7;
    localparam [15:0] FIGURES = WORDS[15:0];
    // Taps need some cycles after a frame before their figures stand.
    localparam [3:0] TIME = 12;
    localparam [2:0] IDLE = 0, SETTLE = 1, HEADER = 2, CHAIN = 3, ASK = 4, ANSWER = 5, PAUSE = 6, CHECK = 7;

    // Commands.
    reg on, by_element;
    reg [23:0] low;
    reg [31:0] length; // less one; its upper half is made a cycle after the lower
    reg borrow;
    reg unit, endless; // the length is two cycles or less; frames end by command only
    reg now;
    reg [31:0] given;
    reg set, set_late, set_later;
    wire [7:0] operation = s_command_data[31:24];
    assign s_command_ready = 1'b1;
    assign enable = on;
    always @(posedge clk) begin
        now <= s_command_valid && operation == 5 && !rst;
        clear <= (s_command_valid && operation == 1) || rst;
        set <= s_command_valid && operation == 4 && !rst;
        given <= {s_command_data[7:0], low};
        set_late <= set && !rst;
        set_later <= set_late && !rst;
        if (set) begin
            {borrow, length[15:0]} <= {1'b0, given[15:0]} - 1'b1;
            endless <= given == 0;
        end
        if (set_late)
            length[31:16] <= given[31:16] - {15'd0, borrow};
        unit <= length[31:1] == 0;
        if (rst) begin
            on <= 1'b0;
            by_element <= 1'b0;
            low <= 0;
            endless <= 1'b1;
            length <= 0;
        end else if (s_command_valid) begin
            if (operation == 2) begin
                on <= s_command_data[0];
                by_element <= s_command_data[1];
            end
            if (operation == 3)
                low <= s_command_data[23:0];
        end
    end

    // Frames.
    reg [2:0] state;
    reg [15:0] left, left_high; // of the frame, in halves
    reg empty, only_low; // left is 0; left_high is
    reg one, step, due;
    wire ending = on && !clear && ((step && one && !frame) || due || now);
    wire free = state == IDLE && !frame;
    always @(posedge clk) begin
        step <= on && (!by_element || element) && !clear;
        frame <= ending && free;
        due <= ending && !free;
        if (clear || set_later || frame) begin
            left <= length[15:0];
            left_high <= length[31:16];
            empty <= length[15:0] == 0;
            only_low <= length[31:16] == 0;
            one <= unit && !endless;
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

    // The cycle.
    wire [63:0] cycle;
    reg [63:0] ended;
    xopt_count #(.CHUNKS(4)) cycles (.clk(clk), .rst(clear), .step(1'b1), .count(cycle));
    always @(posedge clk)
        if (frame)
            ended <= cycle;

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
    localparam NEVER = (1 << LOG_BUFFER) < WORDS + (HISTOGRAMS << BIN_BITS) + 9;
    reg [LOG_BUFFER+1:0] stored;
    always @(posedge clk) begin
        stored <= occupancy;
        fits <= !NEVER && state == IDLE && stored <= MOST[LOG_BUFFER+1:0];
    end

    // A record in the making; one that is lost is made all the same, for the bins to be
    // cleared, and put nowhere.
    reg losing;
    wire [31:0] number, lost;
    reg [31:0] frame_number, frame_lost;
    wire begins = state == IDLE && frame;
    xopt_count numbers (.clk(clk), .rst(clear), .step(begins), .count(number));
    xopt_count losses (.clk(clk), .rst(clear), .step(begins && !fits), .count(lost));
    reg [3:0] wait_for;
    reg [2:0] at;
    reg [15:0] figures; // that are still to come
    reg [15:0] histogram;
    reg no_more, last_bin;
    reg [31:0] bin;
    reg bin_came;
    integer i, j;
    always @(posedge clk) begin
        bin_came <= |read_valid && !rst;
        bin <= 0;
        for (i = 0; i < SLOTS; i = i + 1)
            if (read_valid[i])
                bin <= read_count[32*i +: 32];
    end

    always @(posedge clk) begin
        put <= 1'b0;
        last <= 1'b0;
        shift <= 1'b0;
        read <= 0;
        if (put)
            check <= {check[30:0], check[31]} ^ word;
        case (state)
            IDLE: begin
                check <= 0;
                at <= 0;
                wait_for <= TIME;
                figures <= FIGURES - 1'b1;
                histogram <= 0;
                read_bin <= 0;
                losing <= !fits;
                if (frame) begin
                    state <= SETTLE;
                    frame_number <= number;
                    frame_lost <= lost;
                end
            end
            SETTLE: begin
                wait_for <= wait_for - 1'b1;
                if (wait_for == 0)
                    state <= HEADER;
            end
            HEADER: begin
                put <= !losing;
                at <= at + 1'b1;
                case (at)
                    0: word <= MAGIC;
                    1: word <= frame_number;
                    2: word <= frame_lost;
                    3: word <= {BINS[15:0], FIGURES};
                    4: word <= ended[31:0];
                    default: word <= ended[63:32];
                endcase
                if (at == 4)
                    shift <= 1'b1;
                if (at == 5) begin
                    shift <= 1'b1;
                    state <= CHAIN;
                end
                no_more <= FIGURES == 1;
            end
            // The chain has moved by one in the cycle before, and does so in this one: the
            // word that is looked at was its first then.
            CHAIN: begin
                put <= !losing;
                word <= ahead;
                shift <= 1'b1;
                figures <= figures - 1'b1;
                no_more <= figures == 1;
                if (no_more)
                    state <= HISTOGRAMS > 0 ? ASK : PAUSE;
            end
            ASK: begin
                for (j = 0; j < SLOTS; j = j + 1)
                    read[j] <= histogram == j[15:0];
                last_bin <= &read_bin;
                state <= ANSWER;
            end
            ANSWER:
                if (bin_came) begin
                    put <= !losing;
                    word <= bin;
                    read_bin <= read_bin + 1'b1;
                    state <= ASK;
                    if (last_bin) begin
                        histogram <= histogram + 1'b1;
                        if (histogram == HISTOGRAMS[15:0] - 16'd1)
                            state <= PAUSE;
                    end
                end
            PAUSE: begin // the last word goes into the check
                wait_for <= 1;
                state <= CHECK;
            end
            default: begin
                wait_for <= 0;
                if (wait_for == 0) begin
                    put <= !losing;
                    last <= 1'b1;
                    word <= check;
                    state <= IDLE;
                end
            end
        endcase
        if (clear) begin
            state <= IDLE;
            put <= 1'b0;
            shift <= 1'b0;
        end
    end
    // The first word of the chain, a cycle late.
    reg [31:0] ahead;
    always @(posedge clk)
        ahead <= chain;
    wire unused = &{1'b0, queue_ready, MOST};
endmodule
