`resetall
`default_nettype none

// pharos_clock is an FPGA of the experiments on time and latency (Rafii 2021, 4.2 and 4.3). It contains a timer, a
// slave and a master of pPTP, a probe and its sink, and a source of other traffic. They share one link to the network.
// Packets to port 1 are for the master, to port 2 for the slave, and to port 3 for the sink. pharos_clock consumes and
// ignores other packets.
//
// skip advances the time by skip_cycles additional cycles, in place of idle cycles of the FPGA.
module pharos_clock (
    input  wire         clk,
    input  wire         rst,
    input  wire         skip,
    input  wire [63:0]  skip_cycles,
    input  wire         init, // init signal of the slave
    input  wire [31:0]  sync_period,
    input  wire [31:0]  max_trip,
    input  wire         probe_run,
    input  wire [31:0]  probe_period,
    input  wire [15:0]  probe_to, // FPGA to which the probe sends, in tuser
    input  wire         reflect, // the sink returns probes to their sender
    input  wire         measure, // measure signal of the sink
    input  wire [31:0]  interval, // other traffic is sent in interval - 1 of interval cycles; 0: none
    input  wire [15:0]  address, // address of this FPGA
    input  wire         direct, // the master has no queue
    input  wire         s_axis_net_tvalid,
    output wire         s_axis_net_tready,
    input  wire [127:0] s_axis_net_tdata,
    input  wire [15:0]  s_axis_net_tdest,
    input  wire [15:0]  s_axis_net_tid,
    input  wire [31:0]  s_axis_net_tuser, // sender
    output wire         m_axis_net_tvalid,
    input  wire         m_axis_net_tready,
    output wire [127:0] m_axis_net_tdata,
    output wire [15:0]  m_axis_net_tdest,
    output wire [15:0]  m_axis_net_tid,
    output wire [31:0]  m_axis_net_tuser, // receiver
    output wire         m_axis_figures_tvalid,
    input  wire         m_axis_figures_tready,
    output wire [255:0] m_axis_figures_tdata,
    output wire [63:0]  now,
    output wire         synced,
    output wire         offset_valid,
    output wire [63:0]  offset,
    output wire [31:0]  round_trip,
    output wire         slewing,
    output wire [31:0]  timeouts,
    output wire [31:0]  slow,
    output wire [31:0]  ignored,
    output wire [31:0]  unsent,
    output wire         sample,
    output wire [31:0]  latency
);
    localparam [15:0] MASTER = 16'd1, SLAVE = 16'd2, SINK = 16'd3, TRAFFIC = 16'd4;

    // The timer.
    wire slave_correct, slave_step;
    wire [63:0] slave_correction;
    xopt_timer timer (
        .clk(clk),
        .rst(rst),
        .correct(slave_correct || skip),
        .correction(skip ? skip_cycles : slave_correction),
        .step(slave_step || skip),
        .now(now),
        .slewing(slewing)
    );

    // Inputs.
    wire to_master = s_axis_net_tdest == MASTER;
    wire to_slave = s_axis_net_tdest == SLAVE;
    wire to_sink = s_axis_net_tdest == SINK;
    wire master_ready, slave_ready, sink_ready;
    assign s_axis_net_tready = to_master ? master_ready : to_slave ? slave_ready : to_sink ? sink_ready : 1'b1;

    // Outputs: the first source that has a word.
    wire ask_valid, answer_valid, probe_valid, back_valid, traffic_valid;
    wire [127:0] ask_data, answer_data, probe_data, back_data;
    wire [15:0] answer_dest, answer_id;
    wire [31:0] answer_user, back_user;
    wire [4:0] turn = answer_valid ? 5'b00001 : ask_valid ? 5'b00010 : probe_valid ? 5'b00100 : back_valid ? 5'b01000 :
        {traffic_valid, 4'b0000};
    wire [4:0] go = turn & {5{m_axis_net_tready}};
    assign m_axis_net_tvalid = turn != 0;
    assign m_axis_net_tdata = turn[0] ? answer_data : turn[1] ? ask_data : turn[2] ? probe_data :
        turn[3] ? back_data : 128'd0;
    assign m_axis_net_tdest = turn[0] ? answer_dest : turn[1] ? MASTER : turn[4] ? TRAFFIC : SINK;
    assign m_axis_net_tid = turn[0] ? answer_id : turn[1] ? SLAVE : address;
    assign m_axis_net_tuser = turn[0] ? answer_user : turn[1] ? 32'd0 : turn[3] ? back_user :
        {16'd0, probe_to};

    xopt_ptp_slave #(
        .DATA_WIDTH(128),
        .TIMEOUT(100000)
    ) slave (
        .clk(clk),
        .rst(rst),
        .now(now),
        .slewing(slewing),
        .correct(slave_correct),
        .step(slave_step),
        .correction(slave_correction),
        .init(init),
        .sync_period(sync_period),
        .max_trip(max_trip),
        .remote_address(32'd0),
        .remote_port(MASTER),
        .local_port(SLAVE),
        .m_axis_tvalid(ask_valid),
        .m_axis_tready(go[1]),
        .m_axis_tdata(ask_data),
        .m_axis_tkeep(),
        .m_axis_tlast(),
        .m_axis_tdest(),
        .m_axis_tid(),
        .m_axis_tuser(),
        .s_axis_tvalid(s_axis_net_tvalid && to_slave),
        .s_axis_tready(slave_ready),
        .s_axis_tdata(s_axis_net_tdata),
        .s_axis_tkeep(16'hffff),
        .s_axis_tlast(1'b1),
        .synced(synced),
        .offset_valid(offset_valid),
        .offset(offset),
        .round_trip(round_trip),
        .timeouts(timeouts),
        .slow(slow),
        .ignored(ignored)
    );

    // The master has no queue. Simultaneous requests wait in this queue. With direct, requests must not coincide.
    wire queue_valid, queue_ready, room, requested;
    wire [191:0] queue_data;
    wire [191:0] came = {s_axis_net_tuser, s_axis_net_tdest, s_axis_net_tid, s_axis_net_tdata};
    wire [191:0] question = direct ? came : queue_data;
    assign master_ready = direct ? requested : room;
    assign queue_ready = requested && !direct;
    xopt_fifo #(
        .WIDTH(192),
        .LOG_DEPTH(6)
    ) questions (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(s_axis_net_tvalid && to_master && !direct),
        .s_axis_tready(room),
        .s_axis_tdata(came),
        .m_axis_tvalid(queue_valid),
        .m_axis_tready(queue_ready),
        .m_axis_tdata(queue_data),
        .occupancy()
    );
    xopt_ptp_master #(
        .DATA_WIDTH(128)
    ) master (
        .clk(clk),
        .rst(rst),
        .now(now),
        .s_axis_tvalid(direct ? s_axis_net_tvalid && to_master : queue_valid),
        .s_axis_tready(requested),
        .s_axis_tdata(question[127:0]),
        .s_axis_tkeep(16'hffff),
        .s_axis_tlast(1'b1),
        .s_axis_tdest(question[159:144]),
        .s_axis_tid(question[143:128]),
        .s_axis_tuser(question[191:160]),
        .m_axis_tvalid(answer_valid),
        .m_axis_tready(go[0]),
        .m_axis_tdata(answer_data),
        .m_axis_tkeep(),
        .m_axis_tlast(),
        .m_axis_tdest(answer_dest),
        .m_axis_tid(answer_id),
        .m_axis_tuser(answer_user)
    );

    xopt_probe #(
        .DATA_WIDTH(128)
    ) probe (
        .clk(clk),
        .rst(rst),
        .now(now),
        .run(probe_run),
        .period(probe_period),
        .remote_address({16'd0, probe_to}),
        .remote_port(SINK),
        .local_port(address),
        .m_axis_tvalid(probe_valid),
        .m_axis_tready(go[2]),
        .m_axis_tdata(probe_data),
        .m_axis_tkeep(),
        .m_axis_tlast(),
        .m_axis_tdest(),
        .m_axis_tid(),
        .m_axis_tuser(),
        .unsent(unsent)
    );
    wire on_valid;
    assign back_valid = on_valid && reflect;
    xopt_probe_sink #(
        .DATA_WIDTH(128),
        .LOG_SOURCES(3)
    ) sink (
        .clk(clk),
        .rst(rst),
        .now(now),
        .measure(measure),
        .output_period(32'd0),
        .smooth(4'd4),
        .s_axis_tvalid(s_axis_net_tvalid && to_sink),
        .s_axis_tready(sink_ready),
        .s_axis_tdata(s_axis_net_tdata),
        .s_axis_tkeep(16'hffff),
        .s_axis_tlast(1'b1),
        .s_axis_tdest(s_axis_net_tdest),
        .s_axis_tid(s_axis_net_tid),
        .s_axis_tuser(s_axis_net_tuser),
        .m_axis_tvalid(on_valid),
        .m_axis_tready(go[3] || !reflect),
        .m_axis_tdata(back_data),
        .m_axis_tkeep(),
        .m_axis_tlast(),
        .m_axis_tdest(),
        .m_axis_tid(),
        .m_axis_tuser(back_user),
        .m_axis_figures_tvalid(m_axis_figures_tvalid),
        .m_axis_figures_tready(m_axis_figures_tready),
        .m_axis_figures_tdata(m_axis_figures_tdata),
        .m_axis_figures_tkeep(),
        .m_axis_figures_tlast(),
        .sample(sample),
        .latency(latency),
        .unknown()
    );

    // Other traffic (Rafii 2021, A.1).
    reg [31:0] at_reg;
    assign traffic_valid = interval != 0 && at_reg != 0;
    always @(posedge clk)
        if (rst)
            at_reg <= 32'd0;
        else if (!traffic_valid || go[4])
            at_reg <= at_reg >= interval - 1'b1 ? 32'd0 : at_reg + 1'b1;
endmodule

`resetall
