`resetall
`default_nettype none

// xopt_control: the registers through which a host starts the kernels of an FPGA, sees them end, and communicates with
// the agent of the taps. The kernels are held in reset until they are started, and for at least 512 cycles, so that the
// bins of histograms are cleared. Cycles are counted from the end of the reset. In the first three cycles the agent
// receives the length of its frames and the command to count. Taps therefore count from the start, even if the host is
// slow.
//
// A kernel is quiet when no word has been at any of its streams for at least QUIET cycles. The host signals kernels
// with an input drain to send their remaining data. Records of the agent wait in a queue until they are read. If
// the queue is full, they wait in the agent, which counts dropped records.
module xopt_control #(
    // Identifies this design for the host. Any value is valid.
    parameter [31:0] ID = 32'd0,
    // Number of kernels; 1 to 512.
    parameter PARTS = 1,
    // Idle cycles of a quiet kernel; 2 to 65535.
    parameter QUIET = 2000,
    // The queue has space for 2^LOG_RECORDS words of records; at least 1.
    parameter LOG_RECORDS = 9
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             write,
    input  wire [7:0]       write_word,
    input  wire [31:0]      write_data,
    input  wire             read,
    input  wire [7:0]       read_word,
    output reg  [31:0]      read_data,
    output wire             running, // the kernels are out of reset
    output reg  [PARTS-1:0] drain,
    input  wire [PARTS-1:0] activity,
    output wire             command_valid,
    output wire [31:0]      command_data,
    input  wire             record_valid,
    output wire             record_ready,
    input  wire [31:0]      record_data
);
    // Registers by word, generated from hdl/registers.go, which the host also uses
    // (go test ./hdl -run Registers -update).
    localparam [31:0] MAGIC = 32'h42504f58;
    localparam [7:0] REGISTER_MAGIC = 8'd0; // constant MAGIC
    localparam [7:0] REGISTER_ID = 8'd1; // identifier of the design
    localparam [7:0] REGISTER_CONTROL = 8'd2; // bit 0: 1 runs the kernels, 0 keeps them in reset
    localparam [7:0] REGISTER_STATUS = 8'd3; // bit 0: the kernels run
    localparam [7:0] REGISTER_CYCLE_LOW = 8'd4; // cycle count of the run, lower half
    localparam [7:0] REGISTER_CYCLE_HIGH = 8'd5; // its upper half, sampled when the lower half is read
    localparam [7:0] REGISTER_FRAME = 8'd6; // length of a frame of the taps, in cycles
    localparam [7:0] REGISTER_COMMAND = 8'd7; // a command for the agent of the taps
    localparam [7:0] REGISTER_RECORDS = 8'd8; // number of record words that can be read
    localparam [7:0] REGISTER_RECORD = 8'd9; // the next record word
    localparam [7:0] REGISTER_DRAIN = 8'd16; // requests to send the remaining data: one bit per kernel, 32 per word
    localparam [7:0] REGISTER_QUIET = 8'd32; // one bit for each kernel: its streams have been idle for some time
    localparam [7:0] COMMAND_ENABLE = 8'd2; // bit 0: count; bit 1: frame lengths are in elements instead of cycles
    localparam [7:0] COMMAND_LENGTH_LOW = 8'd3; // store the lower 24 bits of the frame length
    localparam [7:0] COMMAND_LENGTH_HIGH = 8'd4; // set the frame length: these upper 8 bits and the stored lower 24
    // End of the generated lines.
    localparam BANKS = (PARTS + 31) / 32; // words with one bit per kernel
    localparam [15:0] LAST_QUIET = QUIET - 1;
    initial begin
        if (PARTS < 1 || PARTS > 512)
            $fatal(1, "%m: PARTS is %0d, want 1 to 512", PARTS);
        if (QUIET < 2 || QUIET > 65535)
            $fatal(1, "%m: QUIET is %0d, want 2 to 65535", QUIET);
        if (LOG_RECORDS < 1)
            $fatal(1, "%m: LOG_RECORDS is %0d, want at least 1", LOG_RECORDS);
    end

    // Written registers.
    reg run_reg;
    reg [31:0] frame_reg;
    integer i;
    always @(posedge clk) begin
        if (write && write_word == REGISTER_CONTROL)
            run_reg <= write_data[0];
        if (write && write_word == REGISTER_FRAME)
            frame_reg <= write_data;
        for (i = 0; i < PARTS; i = i + 1)
            if (write && write_word == REGISTER_DRAIN + i[12:5])
                drain[i] <= write_data[i[4:0]];
        if (rst || !run_reg)
            drain <= {PARTS{1'b0}};
        if (rst) begin
            run_reg <= 1'b0;
            frame_reg <= 32'd65536;
        end
    end

    // The kernels leave the reset.
    reg [9:0] held_reg; // cycles in reset, up to 512
    assign running = held_reg[9] && run_reg;
    always @(posedge clk)
        held_reg <= rst || (held_reg[9] && !run_reg) ? 10'd0 : held_reg[9] ? held_reg : held_reg + 10'd1;
    reg [63:0] cycle_reg;
    reg [2:0] first_reg; // counts the first cycles, up to 3'b111
    always @(posedge clk) begin
        if (running)
            cycle_reg <= cycle_reg + 64'd1;
        first_reg <= !running ? 3'd0 : {first_reg[1:0], 1'b1};
        if (rst || held_reg == 10'd1)
            cycle_reg <= 64'd0;
    end

    // Commands.
    wire starting = running && first_reg != 3'b111;
    assign command_valid = starting || (running && write && write_word == REGISTER_COMMAND);
    assign command_data = !starting ? write_data :
        first_reg == 3'b000 ? {COMMAND_LENGTH_LOW, frame_reg[23:0]} :
        first_reg == 3'b001 ? {COMMAND_LENGTH_HIGH, 16'd0, frame_reg[31:24]} :
        {COMMAND_ENABLE, 24'd1};

    // Quiet kernels. A kernel is quiet if it was idle during the last complete window and has been idle since.
    reg [15:0] window_reg;
    reg [PARTS-1:0] seen_reg, quiet_reg;
    always @(posedge clk) begin
        if (!running || window_reg == LAST_QUIET)
            window_reg <= 16'd0;
        else
            window_reg <= window_reg + 16'd1;
        if (!running) begin
            seen_reg <= {PARTS{1'b1}};
            quiet_reg <= {PARTS{1'b0}};
        end else if (window_reg == LAST_QUIET) begin
            seen_reg <= activity;
            quiet_reg <= ~seen_reg & ~activity;
        end else begin
            seen_reg <= seen_reg | activity;
            quiet_reg <= quiet_reg & ~activity;
        end
    end

    // Records.
    wire stored_valid;
    wire [31:0] stored_data;
    wire [LOG_RECORDS+1:0] stored;
    xopt_fifo #(
        .WIDTH(32),
        .LOG_DEPTH(LOG_RECORDS)
    ) records (
        .clk(clk),
        .rst(!running),
        .s_axis_tvalid(record_valid),
        .s_axis_tready(record_ready),
        .s_axis_tdata(record_data),
        .m_axis_tvalid(stored_valid),
        .m_axis_tready(read && read_word == REGISTER_RECORD),
        .m_axis_tdata(stored_data),
        .occupancy(stored)
    );

    // Read registers. The upper half of the cycle was sampled when the lower half was last read.
    reg [31:0] cycle_high_reg;
    always @(posedge clk)
        if (read && read_word == REGISTER_CYCLE_LOW)
            cycle_high_reg <= cycle_reg[63:32];
    wire [32*BANKS-1:0] quiet_words, drain_words;
    generate
        if (32 * BANKS > PARTS) begin : padded
            assign quiet_words = {{(32*BANKS-PARTS){1'b0}}, quiet_reg};
            assign drain_words = {{(32*BANKS-PARTS){1'b0}}, drain};
        end else begin : complete
            assign quiet_words = quiet_reg;
            assign drain_words = drain;
        end
    endgenerate
    wire [31:0] stored_count = {{(30-LOG_RECORDS){1'b0}}, stored};
    integer j;
    always @* begin
        read_data = 32'd0;
        case (read_word)
            REGISTER_MAGIC: read_data = MAGIC;
            REGISTER_ID: read_data = ID;
            REGISTER_CONTROL: read_data = {31'd0, run_reg};
            REGISTER_STATUS: read_data = {31'd0, running};
            REGISTER_CYCLE_LOW: read_data = cycle_reg[31:0];
            REGISTER_CYCLE_HIGH: read_data = cycle_high_reg;
            REGISTER_FRAME: read_data = frame_reg;
            REGISTER_RECORDS: read_data = stored_valid ? stored_count : 32'd0;
            REGISTER_RECORD: read_data = stored_valid ? stored_data : 32'd0;
            default:
                for (j = 0; j < BANKS; j = j + 1) begin
                    if (read_word == REGISTER_QUIET + j[7:0])
                        read_data = quiet_words[32*j +: 32];
                    if (read_word == REGISTER_DRAIN + j[7:0])
                        read_data = drain_words[32*j +: 32];
                end
        endcase
    end
endmodule

`resetall
