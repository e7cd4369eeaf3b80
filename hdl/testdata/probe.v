`resetall
`default_nettype none

// A test bench of xopt_probe and xopt_probe_sink. Packets of four sources pass the sink, which supports three of
// them. Some have missing numbers, some two words, some another kind. They must be forwarded unchanged, and the
// sink's figures must equal those of the bench. A single probe must send one packet in each period, with the time at
// which it was first offered.
module bench;
    localparam DATA_WIDTH = 128, LOG_SOURCES = 2, SOURCES = 4;
    localparam [31:0] PROBE = 32'h31425058;
    reg clk = 0, rst = 1, measure = 0;
    reg [63:0] now = 0;
    reg s_valid = 0, s_last = 1, m_ready = 0, f_ready = 0;
    reg [127:0] s_data = 0;
    reg [15:0] s_keep = 16'hffff, s_dest = 0, s_id = 0;
    reg [31:0] s_user = 0;
    wire s_ready, m_valid, m_last, f_valid, f_last, sample;
    wire [127:0] m_data;
    wire [15:0] m_keep, m_dest, m_id;
    wire [31:0] m_user, f_keep, latency, unknown;
    wire [255:0] f_data;
    reg [3:0] smooth;
    integer seed, stall, wrong, i, n, sent, passed, strangers, samples, sampled, reports, in_packet, k;

    xopt_probe_sink #(
        .DATA_WIDTH(DATA_WIDTH),
        .LOG_SOURCES(LOG_SOURCES)
    ) dut (
        .clk(clk),
        .rst(rst),
        .now(now),
        .measure(measure),
        .output_period(32'd97),
        .smooth(smooth),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .s_axis_tdata(s_data),
        .s_axis_tkeep(s_keep),
        .s_axis_tlast(s_last),
        .s_axis_tdest(s_dest),
        .s_axis_tid(s_id),
        .s_axis_tuser(s_user),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready),
        .m_axis_tdata(m_data),
        .m_axis_tkeep(m_keep),
        .m_axis_tlast(m_last),
        .m_axis_tdest(m_dest),
        .m_axis_tid(m_id),
        .m_axis_tuser(m_user),
        .m_axis_figures_tvalid(f_valid),
        .m_axis_figures_tready(f_ready),
        .m_axis_figures_tdata(f_data),
        .m_axis_figures_tkeep(f_keep),
        .m_axis_figures_tlast(f_last),
        .sample(sample),
        .latency(latency),
        .unknown(unknown)
    );
    always #5 clk = !clk;

    // The expected figures of each source: its history, by the number of packets.
    reg signed [63:0] lat, sum [0:SOURCES-1], least [0:SOURCES-1], most [0:SOURCES-1], average [0:SOURCES-1], d;
    integer count [0:SOURCES-1], missing [0:SOURCES-1], last [0:SOURCES-1], told [0:SOURCES-1];
    // The rows of a source so far, to find the sent ones among them.
    reg [255:0] row;
    reg [255:0] history [0:SOURCES*4096-1];

    // The packets in transit: at most one in the register.
    reg [223:0] went [0:3];
    integer put, got;
    reg accepted; // a word in the last cycle

    always @(posedge clk) begin
        now <= now + 1;
        accepted = s_valid && s_ready;
        if (s_valid && s_ready) begin
            went[put % 4] = {s_data, s_keep, s_dest, s_id, s_user, 15'd0, s_last};
            put = put + 1;
            if (!in_packet && s_last && s_data[127:96] == PROBE && s_keep == 16'hffff && measure) begin
                if (s_id >= SOURCES)
                    strangers = strangers + 1;
                else begin
                    k = s_id;
                    lat = now - s_data[63:0];
                    if (lat > 64'sd2147483647)
                        lat = 64'sd2147483647;
                    if (lat < -64'sd2147483648)
                        lat = -64'sd2147483648;
                    if (count[k] == 0) begin
                        sum[k] = lat;
                        least[k] = lat;
                        most[k] = lat;
                        average[k] = lat * 65536;
                    end else begin
                        sum[k] = sum[k] + lat;
                        if (lat < least[k])
                            least[k] = lat;
                        if (lat > most[k])
                            most[k] = lat;
                        d = lat * 65536 - average[k];
                        // divided by 2^smooth, away from 0
                        if (d >= 0)
                            average[k] = average[k] + (d + (64'sd1 <<< smooth) - 1) / (64'sd1 <<< smooth);
                        else
                            average[k] = average[k] - (-d + (64'sd1 <<< smooth) - 1) / (64'sd1 <<< smooth);
                        missing[k] = missing[k] + s_data[95:64] - last[k] - 1;
                    end
                    last[k] = s_data[95:64];
                    row = {sum[k][63:0], missing[k][31:0], most[k][31:0], least[k][31:0], 32'd0, 16'd0,
                        average[k][47:0]};
                    count[k] = count[k] + 1;
                    row[95:64] = count[k];
                    row[63:48] = k;
                    history[k*4096 + count[k]] = row;
                    samples = samples + 1;
                end
            end
            in_packet = !s_last;
        end
        if (m_valid && m_ready) begin
            if ({m_data, m_keep, m_dest, m_id, m_user, 15'd0, m_last} !== went[got % 4]) begin
                $display("FAIL: a word goes on changed");
                wrong = wrong + 1;
            end
            got = got + 1;
        end
        if (sample)
            sampled = sampled + 1;
        if (f_valid && f_ready) begin
            k = f_data[63:48];
            n = f_data[95:64];
            reports = reports + 1;
            if (k >= SOURCES || n > count[k] || n <= told[k] || f_data !== history[k*4096 + n] || !f_last ||
                f_keep !== 32'hffffffff) begin
                $display("FAIL: source %0d, packet %0d of %0d: %h, want %h", k, n, count[k], f_data,
                    history[k*4096 + n]);
                wrong = wrong + 1;
            end
            if (k < SOURCES)
                told[k] = n;
        end
    end

    // A probe, with room now and then, and no other sink than this bench.
    reg run = 0, p_ready = 0;
    reg [31:0] period = 7;
    wire p_valid;
    wire [127:0] p_data;
    wire [31:0] unsent;
    reg p_was;
    reg [63:0] offered;
    integer probes, due;
    xopt_probe #(
        .DATA_WIDTH(DATA_WIDTH)
    ) probe (
        .clk(clk),
        .rst(rst),
        .now(now),
        .run(run),
        .period(period),
        .remote_address(32'd1),
        .remote_port(16'd2),
        .local_port(16'd3),
        .m_axis_tvalid(p_valid),
        .m_axis_tready(p_ready),
        .m_axis_tdata(p_data),
        .m_axis_tkeep(),
        .m_axis_tlast(),
        .m_axis_tdest(),
        .m_axis_tid(),
        .m_axis_tuser(),
        .unsent(unsent)
    );
    always @(posedge clk) begin
        if (rst)
            p_was <= 0;
        else begin
            if (p_valid && !p_was)
                offered = now;
            if (p_valid && p_data[63:0] !== offered) begin
                $display("FAIL: a probe has the time %0d, and was offered at %0d", p_data[63:0], offered);
                wrong = wrong + 1;
            end
            if (p_valid && p_ready) begin
                if (p_data[127:64] !== {PROBE, probes[31:0]}) begin
                    $display("FAIL: probe %0d is %h", probes, p_data);
                    wrong = wrong + 1;
                end
                probes = probes + 1;
            end
            p_was <= p_valid && !p_ready;
        end
    end

    integer number [0:7];
    reg signed [63:0] ago;
    reg [63:0] stamp;
    task send(input integer id, input integer kind);
        begin
            s_valid = 1;
            s_id = id;
            s_dest = $random(seed);
            s_user = $random(seed);
            s_last = kind != 1;
            s_keep = kind == 2 ? 16'h00ff : 16'hffff;
            if ($unsigned($random(seed)) % 8 == 0)
                number[id] = number[id] + $unsigned($random(seed)) % 5; // some are lost
            ago = kind == 4 ? $random(seed) : $random(seed) % 50;
            if (kind == 4)
                ago = 9 * ago;
            stamp = now - ago;
            s_data = {kind == 3 ? 32'h31515058 : PROBE, number[id][31:0], stamp};
            if (kind == 0 || kind == 4)
                number[id] = number[id] + 1;
            @(negedge clk);
            while (!accepted) @(negedge clk);
            s_valid = 0;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("stall=%d", stall))
            stall = 0;
        {wrong, put, got, strangers, samples, sampled, reports, in_packet, probes} = 0;
        smooth = seed % 6;
        for (i = 0; i < 8; i = i + 1)
            number[i] = 100 * i;
        for (i = 0; i < SOURCES; i = i + 1)
            {count[i], missing[i], told[i], last[i]} = 0;
        repeat (4) @(negedge clk);
        rst = 0;
        @(negedge clk);
        measure = 1;
        repeat (3) @(negedge clk);
        for (i = 0; i < 3000; i = i + 1) begin
            while ($unsigned($random(seed)) % 8 < stall) @(negedge clk);
            // mainly from one source, one after the other, to test entries that are still in the pipeline to
            // the memory
            send($unsigned($random(seed)) % 3 == 0 ? $unsigned($random(seed)) % 6 : seed % SOURCES,
                $unsigned($random(seed)) % 10 > 4 ? 0 : $unsigned($random(seed)) % 5);
            if (!s_last) begin
                s_last = 1;
                send($unsigned($random(seed)) % SOURCES, 0);
                number[s_id] = number[s_id] - 1; // it is not the first word of its packet
            end
        end
        repeat (20) @(negedge clk);
        measure = 0;
        repeat (2000) @(negedge clk);
        for (i = 0; i < SOURCES; i = i + 1)
            if (told[i] != count[i]) begin
                $display("FAIL: of source %0d, %0d of %0d packets were told", i, told[i], count[i]);
                wrong = wrong + 1;
            end
        if (put != got || samples != sampled || strangers != unknown || reports < 50 || strangers == 0) begin
            $display("FAIL: %0d in, %0d out; %0d samples, %0d seen; %0d strangers, %0d counted; %0d reports", put, got,
                samples, sampled, strangers, unknown, reports);
            wrong = wrong + 1;
        end
        // The probe: 200 periods of 7 cycles, then 100 of 5.
        run = 1;
        repeat (1400) @(negedge clk);
        period = 5;
        repeat (500) @(negedge clk);
        run = 0;
        repeat (100) @(negedge clk);
        due = probes + unsent;
        if (due < 297 || due > 300 || (stall == 0 && unsent != 0) || (stall > 4 && unsent == 0)) begin
            $display("FAIL: %0d probes, %0d unsent", probes, unsent);
            wrong = wrong + 1;
        end
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
    always @(negedge clk) begin
        m_ready = $unsigned($random(seed)) % 8 >= stall;
        f_ready = $unsigned($random(seed)) % 8 >= stall;
        p_ready = stall == 0 || $unsigned($random(seed)) % 16 >= 2 * stall + 1;
    end
endmodule

`resetall
