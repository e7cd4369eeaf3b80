`resetall
`default_nettype none

// xopt_ptp_slave: synchronizes the time of an FPGA with the time of a master over a network, by the protocol of
// Pharos (Rafii 2021, 3.3.1). The slave sends a request, and the master responds with its time. Half of the round
// trip counts as the latency of the response (Eq. 3.1). If the two latencies differ, the error of the time is half
// of their difference.
//
// Unlike in the thesis, requests have numbers, so that a late response is not mistaken for a response to the next
// request. The time is slewed (xopt_timer), so that it does not run backward while synced is high. An offset of
// 2^LOG_STEP cycles or more, which is possible at the start, is corrected in one step while synced is low.
//
// A request is one word of 16 bytes, lowest byte first: time, which is 0 (8), number (4), kind (4). A response is
// equal, except that it contains the time of the master.
module xopt_ptp_slave #(
    // Width of a stream word; a multiple of 8, at least 128.
    parameter DATA_WIDTH = 128,
    // Cycles after which a request without a response is repeated; at least 1.
    parameter TIMEOUT = 100000000,
    // Offsets of less than 2^LOG_STEP cycles are slewed; 1 to 31.
    parameter LOG_STEP = 20
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [63:0]             now, // time of the timer
    input  wire                    slewing, // the timer is still slewing
    output reg                     correct, // starts a correction of the timer
    output wire                    step,
    output wire [63:0]             correction,
    input  wire                    init, // high: runs; low: stops, and resets
    input  wire [31:0]             sync_period, // cycles from a response to the next request
    input  wire [31:0]             max_trip, // maximum round trip in cycles; slower responses are ignored; 0: no limit
    input  wire [31:0]             remote_address, // the master's address, for tuser
    input  wire [15:0]             remote_port, // the master's port, for tdest
    input  wire [15:0]             local_port, // the slave's port, for tid: destination of the response
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire [DATA_WIDTH-1:0]   m_axis_tdata,
    output wire [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output wire                    m_axis_tlast,
    output wire [15:0]             m_axis_tdest,
    output wire [15:0]             m_axis_tid,
    output wire [31:0]             m_axis_tuser,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire [DATA_WIDTH-1:0]   s_axis_tdata,
    input  wire [DATA_WIDTH/8-1:0] s_axis_tkeep,
    input  wire                    s_axis_tlast,
    output reg                     synced, // the time is valid
    output reg                     offset_valid, // high for one cycle when a response is used
    output wire [63:0]             offset, // the master's time minus the slave's, signed; stays until the next response
    output wire [31:0]             round_trip, // time of the request and the response in cycles
    output reg  [31:0]             timeouts, // requests without a response before the timeout
    output reg  [31:0]             slow, // responses that took more than max_trip
    output reg  [31:0]             ignored // words other than a response to the last request
);
    localparam [31:0] QUESTION = 32'h31515058; // "XPQ1"
    localparam [31:0] ANSWER = 32'h31415058; // "XPA1"
    initial begin
        if (DATA_WIDTH < 128 || DATA_WIDTH % 8 != 0)
            $fatal(1, "%m: DATA_WIDTH is %0d, want a multiple of 8 of at least 128", DATA_WIDTH);
        if (TIMEOUT < 1)
            $fatal(1, "%m: TIMEOUT is %0d, want at least 1", TIMEOUT);
        if (LOG_STEP < 1 || LOG_STEP > 31)
            $fatal(1, "%m: LOG_STEP is %0d, want 1 to 31", LOG_STEP);
    end

    localparam [2:0] IDLE = 3'd0, ASK = 3'd1, WAIT = 3'd2, SUBTRACT = 3'd3, ADD = 3'd4, DECIDE = 3'd5, CORRECT = 3'd6,
        REST = 3'd7;
    reg [2:0] state_reg;
    reg [31:0] number_reg; // number of the last request
    reg [31:0] since_reg; // cycles: in WAIT since the request, otherwise since the response
    reg [31:0] sent_reg;
    reg [63:0] got_reg, master_reg;
    reg [63:0] difference_reg, offset_reg;
    reg [31:0] trip_reg;
    reg step_reg, middle_reg; // within a packet of several words: the next word is not the first
    wire move = s_axis_tvalid && s_axis_tready;
    wire alone = !middle_reg && s_axis_tlast && s_axis_tkeep[15:0] == 16'hffff;
    wire answered = move && alone && s_axis_tdata[127:96] == ANSWER && s_axis_tdata[95:64] == number_reg &&
        state_reg == WAIT;
    wire slight = offset_reg[63:LOG_STEP] == {64-LOG_STEP{offset_reg[63]}};
    wire rested = since_reg >= sync_period - 1'b1 && !slewing;
    wire unused_padding = ^{s_axis_tdata, s_axis_tkeep};

    assign m_axis_tvalid = state_reg == ASK;
    assign m_axis_tdata = {{DATA_WIDTH-128{1'b0}}, QUESTION, number_reg, 64'd0};
    assign m_axis_tkeep = {{DATA_WIDTH/8-16{1'b0}}, 16'hffff};
    assign m_axis_tlast = 1'b1;
    assign m_axis_tdest = remote_port;
    assign m_axis_tid = local_port;
    assign m_axis_tuser = remote_address;
    assign s_axis_tready = 1'b1;
    assign step = step_reg;
    assign correction = offset_reg;
    assign offset = offset_reg;
    assign round_trip = trip_reg;

    always @(posedge clk) begin
        correct <= 1'b0;
        offset_valid <= 1'b0;
        since_reg <= since_reg + 1'b1;
        if (move)
            middle_reg <= !s_axis_tlast;
        if (move && !answered && s_axis_tlast)
            ignored <= ignored + 1'b1;
        case (state_reg)
            IDLE:
                if (init) begin
                    number_reg <= number_reg + 1'b1;
                    state_reg <= ASK;
                end
            ASK: // an offered request is not withdrawn, even if init changes
                if (m_axis_tready) begin
                    sent_reg <= now[31:0];
                    since_reg <= 32'd0;
                    state_reg <= WAIT;
                end
            WAIT:
                if (answered) begin
                    got_reg <= now;
                    master_reg <= s_axis_tdata[63:0];
                    since_reg <= 32'd0;
                    state_reg <= SUBTRACT;
                end else if (since_reg == TIMEOUT - 1) begin
                    timeouts <= timeouts + 1'b1;
                    number_reg <= number_reg + 1'b1;
                    state_reg <= ASK;
                end
            SUBTRACT: begin
                trip_reg <= got_reg[31:0] - sent_reg;
                difference_reg <= master_reg - got_reg;
                state_reg <= ADD;
            end
            ADD: begin // Eq. 3.1 and 3.2
                offset_reg <= difference_reg + {33'd0, trip_reg[31:1]};
                state_reg <= DECIDE;
            end
            DECIDE: begin
                state_reg <= REST;
                if (synced && max_trip != 0 && trip_reg > max_trip)
                    slow <= slow + 1'b1;
                else begin
                    offset_valid <= 1'b1;
                    correct <= 1'b1;
                    step_reg <= !(synced && slight);
                    synced <= synced && slight;
                    state_reg <= CORRECT;
                end
            end
            CORRECT: begin // the timer now applies the correction
                synced <= 1'b1;
                state_reg <= REST;
            end
            REST:
                if (rested) begin
                    number_reg <= number_reg + 1'b1;
                    state_reg <= ASK;
                end
        endcase
        if (!init && state_reg != ASK) begin
            synced <= 1'b0;
            correct <= 1'b0;
            state_reg <= IDLE;
        end
        if (rst) begin
            state_reg <= IDLE;
            number_reg <= 32'd0;
            middle_reg <= 1'b0;
            correct <= 1'b0;
            synced <= 1'b0;
            offset_valid <= 1'b0;
            timeouts <= 32'd0;
            slow <= 32'd0;
            ignored <= 32'd0;
        end
    end
endmodule

`resetall
