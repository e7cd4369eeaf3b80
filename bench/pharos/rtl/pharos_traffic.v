`resetall
`default_nettype none

// pharos_traffic is an FPGA of the experiment on traffic (Rafii 2021, 4.4). It sends packets, or forwards packets whose
// first four bytes exceed a limit, and monitors its inputs and outputs. Nothing corrects its timer, because pPTP
// belongs to another experiment.
//
// It sends packets numbered from 1, with the number in the first word. The packets of the first quarter have one word.
// The packets of the next quarters have two, three and four words. It sends one word every gap cycles.
module pharos_traffic (
    input  wire         clk,
    input  wire         rst,
    input  wire [31:0]  packets, // packets to send; 0: forward the input
    input  wire [31:0]  gap,
    input  wire [31:0]  limit,
    input  wire         measure_in,
    output wire         measure, // measure signal of both monitors
    input  wire [31:0]  average_period,
    input  wire [31:0]  trigger0,
    input  wire [31:0]  trigger1,
    input  wire         s_axis_net_tvalid,
    output wire         s_axis_net_tready,
    input  wire [511:0] s_axis_net_tdata,
    input  wire [63:0]  s_axis_net_tkeep,
    input  wire         s_axis_net_tlast,
    output wire         m_axis_net_tvalid,
    input  wire         m_axis_net_tready,
    output wire [511:0] m_axis_net_tdata,
    output wire [63:0]  m_axis_net_tkeep,
    output wire         m_axis_net_tlast,
    output wire [1:0]   total_valid, // totals of the monitors of the inputs and the outputs
    output wire [511:0] total,
    output wire [1:0]   size_valid,
    output wire [127:0] size,
    output wire [3:0]   event_valid, // two for each monitor
    output wire [255:0] event_time
);
    wire [63:0] now;
    xopt_timer timer (
        .clk(clk),
        .rst(rst),
        .correct(1'b0),
        .correction(64'd0),
        .step(1'b0),
        .now(now),
        .slewing()
    );

    // The source. It starts a cycle after the measure signal, and signals its end a cycle after the last packet. A word
    // needs gap cycles. The source sends it in the first of these cycles.
    wire source = packets != 0;
    reg started_reg;
    reg [1:0] stop_reg;
    reg [31:0] number_reg, in_gap_reg;
    reg [1:0] word_reg;
    wire [33:0] four = {number_reg - 1'b1, 2'b00};
    wire [1:0] words = four >= {1'b0, packets, 1'b0} + {2'b0, packets} ? 2'd3 : four >= {1'b0, packets, 1'b0} ? 2'd2 :
        four >= {2'b0, packets} ? 2'd1 : 2'd0; // number of words minus one
    wire word_last = word_reg == words;
    wire word_valid = source && started_reg && in_gap_reg == 0 && number_reg <= packets;
    wire [511:0] word_data = {480'd0, word_reg == 0 ? number_reg : 32'd0};
    always @(posedge clk) begin
        started_reg <= measure_in;
        in_gap_reg <= started_reg && in_gap_reg != gap - 1'b1 ? in_gap_reg + 1'b1 : 32'd0;
        stop_reg <= {stop_reg[0], stop_reg[0] || (number_reg > packets && in_gap_reg == gap - 1'b1)};
        if (word_valid && m_axis_net_tready) begin
            word_reg <= word_last ? 2'd0 : word_reg + 1'b1;
            if (word_last)
                number_reg <= number_reg + 1'b1;
        end
        if (rst) begin
            started_reg <= 1'b0;
            stop_reg <= 2'd0;
            number_reg <= 32'd1;
            in_gap_reg <= 32'd0;
            word_reg <= 2'd0;
        end
    end
    assign measure = source ? measure_in && !stop_reg[1] : measure_in;

    // The forwarder: two registers, one of which selects the packets.
    reg [1:0] valid_reg, last_reg;
    reg [511:0] data0_reg, data1_reg;
    reg [63:0] keep0_reg, keep1_reg;
    reg middle_reg, pass_reg;
    wire first_above = s_axis_net_tdata[31:0] > limit;
    wire pass = middle_reg ? pass_reg : first_above;
    assign s_axis_net_tready = 1'b1;
    always @(posedge clk) begin
        if (s_axis_net_tvalid) begin
            middle_reg <= !s_axis_net_tlast;
            pass_reg <= pass;
        end
        valid_reg <= {valid_reg[0], s_axis_net_tvalid && pass} & {2{!rst}};
        last_reg <= {last_reg[0], s_axis_net_tlast};
        data0_reg <= s_axis_net_tdata;
        data1_reg <= data0_reg;
        keep0_reg <= s_axis_net_tkeep;
        keep1_reg <= keep0_reg;
        if (rst)
            middle_reg <= 1'b0;
    end
    assign m_axis_net_tvalid = source ? word_valid : valid_reg[1];
    assign m_axis_net_tdata = source ? word_data : data1_reg;
    assign m_axis_net_tkeep = source ? {64{1'b1}} : keep1_reg;
    assign m_axis_net_tlast = source ? word_last : last_reg[1];

    // The monitors.
    genvar m, e;
    generate
        for (m = 0; m < 2; m = m + 1) begin : monitor
            wire valid = m == 0 ? s_axis_net_tvalid : m_axis_net_tvalid;
            wire ready = m == 0 ? s_axis_net_tready : m_axis_net_tready;
            wire [63:0] data = m == 0 ? s_axis_net_tdata[63:0] : m_axis_net_tdata[63:0];
            xopt_packets #(
                .KEEP_WIDTH(64)
            ) packets_seen (
                .clk(clk),
                .rst(rst),
                .measure(measure),
                .output_period(average_period),
                .smooth(4'd4),
                .tvalid(valid),
                .tready(ready),
                .tkeep(m == 0 ? s_axis_net_tkeep : m_axis_net_tkeep),
                .tlast(m == 0 ? s_axis_net_tlast : m_axis_net_tlast),
                .size_valid(),
                .size(),
                .m_axis_total_tvalid(total_valid[m]),
                .m_axis_total_tready(1'b1),
                .m_axis_total_tdata(total[256*m +: 256]),
                .m_axis_size_tvalid(size_valid[m]),
                .m_axis_size_tready(1'b1),
                .m_axis_size_tdata(size[64*m +: 64]),
                .lost()
            );
            for (e = 0; e < 2; e = e + 1) begin : logger
                xopt_event #(
                    .DATA_WIDTH(64), // the low bits contain the number of a packet
                    .LOG_DEPTH(2)
                ) events (
                    .clk(clk),
                    .rst(rst),
                    .now(now),
                    .measure(measure),
                    .value({32'd0, e == 0 ? trigger0 : trigger1}),
                    .mask({64{1'b1}}),
                    .tvalid(valid),
                    .tready(ready),
                    .tdata(data),
                    .m_axis_tvalid(event_valid[2*m+e]),
                    .m_axis_tready(1'b1),
                    .m_axis_tdata(event_time[64*(2*m+e) +: 64]),
                    .hits(),
                    .lost()
                );
            end
        end
    endgenerate
endmodule

`resetall
