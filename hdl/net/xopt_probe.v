`resetall
`default_nettype none

// xopt_probe: sends packets with the time at which they were first offered. From this time, xopt_probe_sink computes
// the latency of the path (Rafii 2021, 3.4.1). The time for which a packet waits for space counts as latency. Packets
// that become due in that time are counted but not sent, and no packet numbers are skipped.
//
// A packet is one word of 16 bytes, lowest byte first: time (8), number from 0 (4), kind (4).
module xopt_probe #(
    // Width of a stream word; a multiple of 8, at least 128.
    parameter DATA_WIDTH = 128
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [63:0]             now, // time of the timer
    input  wire                    run,
    input  wire [31:0]             period, // cycles from packet to packet; 0: no packets. A change starts a new period.
    input  wire [31:0]             remote_address, // value of tuser
    input  wire [15:0]             remote_port, // value of tdest
    input  wire [15:0]             local_port, // value of tid, with which the sink identifies the probe
    output reg                     m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire [DATA_WIDTH-1:0]   m_axis_tdata,
    output wire [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output wire                    m_axis_tlast,
    output wire [15:0]             m_axis_tdest,
    output wire [15:0]             m_axis_tid,
    output wire [31:0]             m_axis_tuser,
    output reg  [31:0]             unsent // packets for which there was no space
);
    localparam [31:0] PROBE = 32'h31425058; // "XPB1"
    initial begin
        if (DATA_WIDTH < 128 || DATA_WIDTH % 8 != 0)
            $fatal(1, "%m: DATA_WIDTH is %0d, want a multiple of 8 of at least 128", DATA_WIDTH);
    end

    reg [31:0] period_reg, since_reg, number_reg;
    reg [63:0] time_reg;
    reg due_reg; // a packet is due
    wire room = !m_axis_tvalid || m_axis_tready;

    assign m_axis_tdata = {{DATA_WIDTH-128{1'b0}}, PROBE, number_reg, time_reg};
    assign m_axis_tkeep = {{DATA_WIDTH/8-16{1'b0}}, 16'hffff};
    assign m_axis_tlast = 1'b1;
    assign m_axis_tdest = remote_port;
    assign m_axis_tid = local_port;
    assign m_axis_tuser = remote_address;

    always @(posedge clk) begin
        period_reg <= period;
        since_reg <= since_reg + 1'b1;
        due_reg <= run && period_reg != 0 && since_reg == period_reg - 1'b1;
        if (!run || period != period_reg || since_reg == period_reg - 1'b1)
            since_reg <= 32'd0;
        if (m_axis_tready)
            m_axis_tvalid <= 1'b0;
        if (m_axis_tvalid && m_axis_tready)
            number_reg <= number_reg + 1'b1;
        if (due_reg && room) begin
            m_axis_tvalid <= 1'b1;
            time_reg <= now + 1'b1;
        end
        if (due_reg && !room)
            unsent <= unsent + 1'b1;
        if (rst) begin
            period_reg <= 32'd0;
            since_reg <= 32'd0;
            due_reg <= 1'b0;
            number_reg <= 32'd0;
            m_axis_tvalid <= 1'b0;
            unsent <= 32'd0;
        end
    end
endmodule

`resetall
