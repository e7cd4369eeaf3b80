`resetall
`default_nettype none

// xopt_probe_sink: measures the latency of packets of xopt_probe from each of several sources (Rafii 2021, 3.4.2). It
// counts received and missing packets, and computes the minimum, maximum, sum and moving average of the latencies. The
// average follows Eq. 3.3 with beta = 2^-smooth, and starts with the first packet. A latency is signed: it may be
// negative if clocks disagree. All packets are forwarded unchanged, one cycle later, one in each cycle, also while
// figures are sent. Therefore sinks may form a chain, in which each sink measures from the first source (3.4.3).
//
// The figures of each source are sent every output_period cycles if packets from it have arrived since, and at the end
// of the measurement. The figures have 32 bytes, the lowest byte first: average (6 bytes; the lower 2 are the
// fraction), source (2), packets (4), minimum (4), maximum (4), missing (4), sum (8). Latencies are in cycles and
// signed. All figures are counted from the start of the measurement.
module xopt_probe_sink #(
    // Width of a stream word; a multiple of 8, at least 128.
    parameter DATA_WIDTH = 128,
    // The tid of each source is below 2^LOG_SOURCES; 1 to 16.
    parameter LOG_SOURCES = 5
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [63:0]             now, // time of the timer
    input  wire                    measure,
    input  wire [31:0]             output_period, // cycles; 0: only at the end
    input  wire [3:0]              smooth,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire [DATA_WIDTH-1:0]   s_axis_tdata,
    input  wire [DATA_WIDTH/8-1:0] s_axis_tkeep,
    input  wire                    s_axis_tlast,
    input  wire [15:0]             s_axis_tdest,
    input  wire [15:0]             s_axis_tid,
    input  wire [31:0]             s_axis_tuser,
    output reg                     m_axis_tvalid,
    input  wire                    m_axis_tready,
    output reg  [DATA_WIDTH-1:0]   m_axis_tdata,
    output reg  [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output reg                     m_axis_tlast,
    output reg  [15:0]             m_axis_tdest,
    output reg  [15:0]             m_axis_tid,
    output reg  [31:0]             m_axis_tuser,
    output reg                     m_axis_figures_tvalid,
    input  wire                    m_axis_figures_tready,
    output wire [255:0]            m_axis_figures_tdata,
    output wire [31:0]             m_axis_figures_tkeep,
    output wire                    m_axis_figures_tlast,
    output wire                    sample, // a latency has been measured
    output wire [31:0]             latency, // the measured latency
    output reg  [31:0]             unknown // packets of sources from 2^LOG_SOURCES on
);
    localparam [31:0] PROBE = 32'h31425058; // "XPB1"
    localparam SOURCES = 1 << LOG_SOURCES;
    localparam ROW = 48 + 4*32 + 64 + 32; // the last 32 bits are the last number
    initial begin
        if (DATA_WIDTH < 128 || DATA_WIDTH % 8 != 0)
            $fatal(1, "%m: DATA_WIDTH is %0d, want a multiple of 8 of at least 128", DATA_WIDTH);
        if (LOG_SOURCES < 1 || LOG_SOURCES > 16)
            $fatal(1, "%m: LOG_SOURCES is %0d, want 1 to 16", LOG_SOURCES);
    end

    // Forwarding.
    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    wire move = s_axis_tvalid && s_axis_tready;
    reg middle_reg; // within a packet of several words: the next word is not the first
    wire probe = move && !middle_reg && s_axis_tlast && s_axis_tkeep[15:0] == 16'hffff &&
        s_axis_tdata[127:96] == PROBE && measure;
    wire known_place = ({1'b0, s_axis_tid} >> LOG_SOURCES) == 17'd0;
    always @(posedge clk) begin
        if (move)
            middle_reg <= !s_axis_tlast;
        if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid;
            m_axis_tdata <= s_axis_tdata;
            m_axis_tkeep <= s_axis_tkeep;
            m_axis_tlast <= s_axis_tlast;
            m_axis_tdest <= s_axis_tdest;
            m_axis_tid <= s_axis_tid;
            m_axis_tuser <= s_axis_tuser;
        end
        if (probe && !known_place)
            unknown <= unknown + 1'b1;
        if (rst) begin
            middle_reg <= 1'b0;
            m_axis_tvalid <= 1'b0;
            unknown <= 32'd0;
        end
    end

    // The stages receive a packet, compute its latency and request its row, update the row, and write the row. A row
    // that has not reached the memory yet is forwarded.
    reg taken_reg, asked_reg, write_reg, latest_reg;
    reg [LOG_SOURCES-1:0] taken_source_reg, asked_source_reg, write_source_reg, latest_source_reg;
    reg [31:0] taken_number_reg, asked_number_reg;
    reg [63:0] taken_latency_reg;
    reg [31:0] asked_latency_reg;
    reg [ROW-1:0] write_row_reg, latest_row_reg;
    reg [SOURCES-1:0] known_reg; // packets have arrived from the source
    reg [SOURCES-1:0] active_reg; // packets have arrived since the source's figures were sent
    (* no_rw_check *) reg [ROW-1:0] rows [0:SOURCES-1];
    (* no_rw_check *) reg [ROW-33:0] shown [0:SOURCES-1]; // rows without their last number, for the sender
    reg [ROW-1:0] row_q;
    wire far = taken_latency_reg[63:31] != {33{taken_latency_reg[63]}}; // the latency does not fit 32 bits
    wire near_write = write_reg && write_source_reg == asked_source_reg;
    wire near_latest = latest_reg && latest_source_reg == asked_source_reg;
    wire [ROW-1:0] row = near_write ? write_row_reg : near_latest ? latest_row_reg : row_q;
    wire first = !known_reg[asked_source_reg];
    wire [31:0] last_number, missing, greatest, minimum, packets;
    wire [63:0] sum;
    wire [47:0] average;
    assign {last_number, sum, missing, greatest, minimum, packets, average} = row;
    wire [47:0] scaled = {asked_latency_reg, 16'd0};
    wire [48:0] difference = {scaled[47], scaled} - {average[47], average};
    // Rounded away from 0, so that the average converges to a constant latency.
    wire [48:0] up = difference[48] ? 49'd0 : ~({49{1'b1}} << smooth);
    wire [48:0] rounded = difference + up;
    wire [48:0] part = $signed(rounded) >>> smooth;
    wire unused_sign = part[48];
    wire [63:0] wide = {{32{asked_latency_reg[31]}}, asked_latency_reg};
    assign sample = asked_reg;
    assign latency = asked_latency_reg;
    always @(posedge clk) begin
        taken_reg <= probe && known_place && !rst;
        taken_source_reg <= s_axis_tid[LOG_SOURCES-1:0];
        taken_number_reg <= s_axis_tdata[95:64];
        taken_latency_reg <= now - s_axis_tdata[63:0];
        asked_reg <= taken_reg && !rst;
        asked_source_reg <= taken_source_reg;
        asked_number_reg <= taken_number_reg;
        asked_latency_reg <= far ? {taken_latency_reg[63], {31{!taken_latency_reg[63]}}} : taken_latency_reg[31:0];
        row_q <= rows[taken_source_reg];
        write_reg <= asked_reg && !rst;
        write_source_reg <= asked_source_reg;
        if (first)
            write_row_reg <= {asked_number_reg, wide, 32'd0, asked_latency_reg, asked_latency_reg, 32'd1, scaled};
        else
            write_row_reg <= {asked_number_reg, sum + wide, missing + asked_number_reg - last_number - 32'd1,
                $signed(asked_latency_reg) > $signed(greatest) ? asked_latency_reg : greatest,
                $signed(asked_latency_reg) < $signed(minimum) ? asked_latency_reg : minimum,
                packets + 32'd1, average + part[47:0]};
        latest_reg <= write_reg && !rst;
        latest_source_reg <= write_source_reg;
        latest_row_reg <= write_row_reg;
        if (write_reg) begin
            rows[write_source_reg] <= write_row_reg;
            shown[write_source_reg] <= write_row_reg[ROW-33:0];
        end
    end

    // Figures are sent source by source. At the end, they are sent after the last packet has been written.
    reg [31:0] since_reg;
    reg [LOG_SOURCES-1:0] at_reg;
    reg [ROW-33:0] shown_q;
    reg [15:0] sent_source_reg;
    reg pending_reg, busy_reg;
    reg [3:0] measure_reg; // one to four cycles ago
    wire begins = measure && !measure_reg[0];
    wire ends = measure_reg[3] && !measure_reg[2];
    wire free = !m_axis_figures_tvalid || m_axis_figures_tready;
    wire look = busy_reg && free;
    wire due = measure && output_period != 0 && since_reg == output_period - 1'b1;
    assign m_axis_figures_tdata = {shown_q[ROW-33:48], sent_source_reg, shown_q[47:0]};
    assign m_axis_figures_tkeep = {32{1'b1}};
    assign m_axis_figures_tlast = 1'b1;
    always @(posedge clk) begin
        measure_reg <= {measure_reg[2:0], measure} & {4{!rst}};
        since_reg <= begins || due ? 32'd0 : since_reg + 1'b1;
        if (due || ends)
            pending_reg <= 1'b1;
        if (!busy_reg && pending_reg) begin
            busy_reg <= 1'b1;
            pending_reg <= due || ends;
            at_reg <= 0;
        end
        if (m_axis_figures_tready)
            m_axis_figures_tvalid <= 1'b0;
        if (look && active_reg[at_reg]) begin
            shown_q <= shown[at_reg];
            sent_source_reg <= {{16-LOG_SOURCES{1'b0}}, at_reg};
            active_reg[at_reg] <= 1'b0;
            m_axis_figures_tvalid <= 1'b1;
        end
        if (look) begin
            at_reg <= at_reg + 1'b1;
            busy_reg <= !(&at_reg);
        end
        if (asked_reg)
            known_reg[asked_source_reg] <= 1'b1;
        if (write_reg)
            active_reg[write_source_reg] <= 1'b1;
        if (rst || begins) begin
            known_reg <= {SOURCES{1'b0}};
            active_reg <= {SOURCES{1'b0}};
        end
        if (rst) begin
            pending_reg <= 1'b0;
            busy_reg <= 1'b0;
            m_axis_figures_tvalid <= 1'b0;
        end
    end
endmodule

`resetall
