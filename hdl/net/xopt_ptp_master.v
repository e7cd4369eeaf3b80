`resetall
`default_nettype none

// xopt_ptp_master: responds to requests of xopt_ptp_slave with the time (Rafii 2021, 3.3.1). It stores no list of
// slaves and has no state. It consumes and ignores words that are not requests.
//
// It responds in the cycle after the request, with the time of that cycle. It has no queue. If requests can coincide, a
// queue must precede it. Because of the wait in this queue, the latency of requests exceeds the latency of responses
// (4.2.3). An inner node of a hierarchy has a slave and a master at one timer (3.3.2).
module xopt_ptp_master #(
    // Width of a stream word; a multiple of 8, at least 128.
    parameter DATA_WIDTH = 128
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [63:0]             now, // time of the timer
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
    output wire [DATA_WIDTH-1:0]   m_axis_tdata,
    output wire [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output wire                    m_axis_tlast,
    output reg  [15:0]             m_axis_tdest,
    output reg  [15:0]             m_axis_tid,
    output reg  [31:0]             m_axis_tuser
);
    localparam [31:0] QUESTION = 32'h31515058; // "XPQ1"
    localparam [31:0] ANSWER = 32'h31415058; // "XPA1"
    initial begin
        if (DATA_WIDTH < 128 || DATA_WIDTH % 8 != 0)
            $fatal(1, "%m: DATA_WIDTH is %0d, want a multiple of 8 of at least 128", DATA_WIDTH);
    end

    reg middle_reg; // within a packet of several words: the next word is not the first
    reg [31:0] number_reg;
    reg [63:0] time_reg;
    wire move = s_axis_tvalid && s_axis_tready;
    wire question = move && !middle_reg && s_axis_tlast && s_axis_tkeep[15:0] == 16'hffff &&
        s_axis_tdata[127:96] == QUESTION;
    wire unused_padding = ^{s_axis_tdata, s_axis_tkeep};

    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    assign m_axis_tdata = {{DATA_WIDTH-128{1'b0}}, ANSWER, number_reg, time_reg};
    assign m_axis_tkeep = {{DATA_WIDTH/8-16{1'b0}}, 16'hffff};
    assign m_axis_tlast = 1'b1;

    always @(posedge clk) begin
        if (move)
            middle_reg <= !s_axis_tlast;
        if (s_axis_tready)
            m_axis_tvalid <= question;
        if (question) begin
            number_reg <= s_axis_tdata[95:64];
            time_reg <= now + 1'b1;
            m_axis_tdest <= s_axis_tid;
            m_axis_tid <= s_axis_tdest;
            m_axis_tuser <= s_axis_tuser;
        end
        if (rst) begin
            middle_reg <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end
    end
endmodule

`resetall
