// xopt_agent: collects what the taps of one FPGA have counted, and sends a record of each
// frame. It holds the frame: it ends after some cycles, or some elements, and at once
// when it is told to.
//
// A record is words of 32 bits, the last marked: MAGIC; the number of the frame; records
// that were lost before it; the words of figures and of bins; the cycle in which the
// frame ended, lower half first; the figures, that is, the word input from its lowest
// bits on; the bins of the histograms, one after the other; a check: each word in turn,
// added by exclusive or to the check turned left by one bit.
//
// Records wait in a queue for whoever takes them. A record that the queue has no room
// for is lost whole, and counted. A frame does not end before the record of the one before
// has been made: one cycle for each word, three for each bin, and some.
//
// Commands are words of 32 bits, an operation in the highest eight: 1 starts anew; 2
// enables (bit 0) and lets frames be of elements (bit 1); 3 keeps the lower 24 bits of
// the length of a frame, and 4 sets it, with the upper 24; 5 ends the frame.
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
    output wire                frame, // high in its last cycle
    output wire                clear, // the taps start anew
    input  wire [32*WORDS-1:0] words, // must not change before the frame after ends
    output reg  [SLOTS-1:0]    read, // one bit for each histogram
    output wire [BIN_BITS-1:0] read_bin,
    input  wire [SLOTS-1:0]    read_valid,
    input  wire [32*SLOTS-1:0] read_count,
    output wire                m_record_valid,
    input  wire                m_record_ready,
    output wire [31:0]         m_record_data,
    output wire                m_record_last
);
    localparam [31:0] MAGIC = 32'h54504f58;
    localparam BINS = HISTOGRAMS << BIN_BITS;
    localparam [31:0] RECORD = WORDS + BINS + 7;
    localparam [15:0] FIGURES = WORDS[15:0];
    localparam [15:0] COUNTS = BINS[15:0];
    // Taps need some cycles after a frame before their figures stand.
    localparam [3:0] SETTLE = 8;

    // Commands.
    reg on, by_element, clearing;
    reg [23:0] low;
    reg [47:0] length;
    reg now;
    wire [7:0] operation = s_command_data[31:24];
    assign s_command_ready = 1'b1;
    assign enable = on;
    assign clear = clearing || rst;
    always @(posedge clk) begin
        now <= s_command_valid && operation == 5 && !rst;
        clearing <= s_command_valid && operation == 1 && !rst;
        if (rst) begin
            on <= 1'b0;
            by_element <= 1'b0;
            low <= 0;
            length <= 0;
        end else if (s_command_valid) begin
            if (operation == 2) begin
                on <= s_command_data[0];
                by_element <= s_command_data[1];
            end
            if (operation == 3)
                low <= s_command_data[23:0];
            if (operation == 4)
                length <= {s_command_data[23:0], low};
        end
    end

    reg busy; // with a record
    // Frames; of length 0 they end by command only.
    reg [63:0] cycle;
    reg [47:0] passed;
    wire step = on && (!by_element || element);
    wire full = step && length != 0 && passed + 1'b1 >= length;
    reg told; // to end the frame, as soon as that can be
    assign frame = on && (full || now || told) && !clear && !busy;
    always @(posedge clk)
        if (clear) begin
            cycle <= 0;
            passed <= 0;
            told <= 1'b0;
        end else begin
            cycle <= cycle + 1'b1;
            told <= (told || now) && on && !frame;
            if (frame)
                passed <= 0;
            else if (step)
                passed <= passed + 1'b1;
        end

    // A record in the making; one that is lost is made all the same, for the bins to be
    // cleared, and put nowhere.
    reg losing;
    reg [3:0] settle;
    reg [31:0] number, lost, frame_number, frame_lost;
    reg [63:0] ended;
    reg [31:0] at, check;
    reg [15:0] taken; // figures
    reg [32*WORDS-1:0] rest;
    reg [15:0] asked, answered; // bins
    wire [LOG_BUFFER+1:0] occupancy;
    wire [31:0] room = (32'd1 << LOG_BUFFER) - {{(30-LOG_BUFFER){1'b0}}, occupancy};
    wire fits = room >= RECORD;

    // What the next word is. A bin comes in the cycle after it was asked for.
    wire in_bins = taken == FIGURES && answered != COUNTS;
    wire bin_came = |read_valid;
    reg [31:0] bin;
    integer i;
    always @* begin
        bin = 0;
        for (i = 0; i < SLOTS; i = i + 1)
            bin = bin | (read_valid[i] ? read_count[32*i +: 32] : 32'd0);
    end
    wire at_check = at == RECORD - 1;
    wire ready = busy && settle == 0 && (at < 6 || !in_bins || bin_came);
    reg [31:0] word;
    always @* begin
        if (at == 0)
            word = MAGIC;
        else if (at == 1)
            word = frame_number;
        else if (at == 2)
            word = frame_lost;
        else if (at == 3)
            word = {COUNTS, FIGURES};
        else if (at == 4)
            word = ended[31:0];
        else if (at == 5)
            word = ended[63:32];
        else if (at_check)
            word = check;
        else if (in_bins)
            word = bin;
        else
            word = rest[31:0];
    end
    // The queue has room for the whole record.
    wire put = ready && !losing;
    wire queue_ready;
    xopt_fifo #(.WIDTH(33), .LOG_DEPTH(LOG_BUFFER)) queue (
        .clk(clk), .rst(clear),
        .s_valid(put), .s_ready(queue_ready), .s_data({at_check, word}),
        .m_valid(m_record_valid), .m_ready(m_record_ready), .m_data({m_record_last, m_record_data}),
        .occupancy(occupancy));

    // Bins are asked for one at a time.
    reg waiting;
    wire [15:0] histogram = asked >> BIN_BITS;
    assign read_bin = asked[BIN_BITS-1:0];
    wire ask = busy && settle == 0 && at >= 6 && in_bins && !waiting && !bin_came;
    always @* begin
        for (i = 0; i < SLOTS; i = i + 1)
            read[i] = ask && histogram == i[15:0];
    end

    always @(posedge clk) begin
        if (clear) begin
            busy <= 1'b0;
            number <= 0;
            lost <= 0;
        end else begin
            if (frame) begin
                number <= number + 1'b1;
                if (!fits)
                    lost <= lost + 1'b1;
            end
            if (frame)
                busy <= 1'b1;
            else if (ready && at_check)
                busy <= 1'b0;
        end
        if (frame) begin
            losing <= !fits;
            frame_number <= number;
            frame_lost <= lost;
            ended <= cycle;
            settle <= SETTLE;
            at <= 0;
            check <= 0;
            taken <= 0;
            asked <= 0;
            answered <= 0;
            waiting <= 1'b0;
        end else if (busy) begin
            if (settle != 0) begin
                settle <= settle - 1'b1;
                rest <= words;
            end
            if (ask) begin
                waiting <= 1'b1;
                asked <= asked + 1'b1;
            end
            if (bin_came)
                waiting <= 1'b0;
            if (ready) begin
                at <= at + 1'b1;
                check <= {check[30:0], check[31]} ^ word;
                if (at >= 6 && !at_check) begin
                    if (in_bins)
                        answered <= answered + 1'b1;
                    else begin
                        taken <= taken + 1'b1;
                        rest <= rest >> 32;
                    end
                end
            end
        end
        if (rst)
            waiting <= 1'b0;
    end
    wire unused = &{1'b0, queue_ready, histogram};
endmodule
