`resetall
`default_nettype none

// A test bench of xopt_timer, xopt_ptp_slave and xopt_ptp_master: two timers that start at different times, on one
// clock, and paths of UP and DOWN cycles between them. Responses are lost or late, and other words are interleaved.
// Once synced, the error of the slave's time is at most half of the difference of the latencies, rounded.
// Disturbances (+push cycles) are corrected, and the time never runs backward.
module bench;
    parameter UP = 7, DOWN = 7;
    localparam DATA_WIDTH = 128, LOG_SLEW = 3, TIMEOUT = 200, WAY = 1024;
    localparam [31:0] QUESTION = 32'h31515058, ANSWER = 32'h31415058;
    reg clk = 0, master_rst = 1, slave_rst = 1, init = 0;
    reg push = 0;
    reg [63:0] push_by = 0;
    wire [63:0] master_now, slave_now, correction, offset;
    wire slewing, correct, step, synced, offset_valid;
    wire [31:0] round_trip, timeouts, slow, ignored;
    reg [31:0] max_trip = 0;
    integer seed, wrong, cycle, syncs, lost, foreign, i, expected, late, steps;
    reg [63:0] before;
    reg was_synced, pushed;

    // The paths: the arrivals in each cycle. A late response arrives 250 cycles later.
    reg up_valid [0:WAY-1], down_valid [0:WAY-1];
    reg [127:0] up_data [0:WAY-1], down_data [0:WAY-1];
    reg up_last [0:WAY-1], down_last [0:WAY-1];
    wire ask_valid, answer_valid, master_ready, slave_ready, ask_last, answer_last;
    wire [127:0] ask_data, answer_data;
    wire [15:0] ask_keep, answer_keep, ask_dest, ask_id, answer_dest, answer_id;
    wire [31:0] ask_user, answer_user;
    reg up_now_valid, up_now_last, down_now_valid, down_now_last, ask_ready;
    reg [127:0] up_now_data, down_now_data;

    xopt_timer #(
        .LOG_SLEW(LOG_SLEW)
    ) master_timer (
        .clk(clk),
        .rst(master_rst),
        .correct(1'b0),
        .correction(64'd0),
        .step(1'b0),
        .now(master_now),
        .slewing()
    );
    xopt_timer #(
        .LOG_SLEW(LOG_SLEW)
    ) slave_timer (
        .clk(clk),
        .rst(slave_rst),
        .correct(correct || push),
        .correction(push ? push_by : correction),
        .step(push || step),
        .now(slave_now),
        .slewing(slewing)
    );
    xopt_ptp_slave #(
        .DATA_WIDTH(DATA_WIDTH),
        .TIMEOUT(TIMEOUT),
        .LOG_STEP(6)
    ) slave (
        .clk(clk),
        .rst(slave_rst),
        .now(slave_now),
        .slewing(slewing),
        .correct(correct),
        .step(step),
        .correction(correction),
        .init(init),
        .sync_period(32'd300),
        .max_trip(max_trip),
        .remote_address(32'h0a000001),
        .remote_port(16'd7),
        .local_port(16'd9),
        .m_axis_tvalid(ask_valid),
        .m_axis_tready(ask_ready),
        .m_axis_tdata(ask_data),
        .m_axis_tkeep(ask_keep),
        .m_axis_tlast(ask_last),
        .m_axis_tdest(ask_dest),
        .m_axis_tid(ask_id),
        .m_axis_tuser(ask_user),
        .s_axis_tvalid(down_now_valid),
        .s_axis_tready(slave_ready),
        .s_axis_tdata(down_now_data),
        .s_axis_tkeep(16'hffff),
        .s_axis_tlast(down_now_last),
        .synced(synced),
        .offset_valid(offset_valid),
        .offset(offset),
        .round_trip(round_trip),
        .timeouts(timeouts),
        .slow(slow),
        .ignored(ignored)
    );
    xopt_ptp_master #(
        .DATA_WIDTH(DATA_WIDTH)
    ) master (
        .clk(clk),
        .rst(master_rst),
        .now(master_now),
        .s_axis_tvalid(up_now_valid),
        .s_axis_tready(master_ready),
        .s_axis_tdata(up_now_data),
        .s_axis_tkeep(16'hffff),
        .s_axis_tlast(up_now_last),
        .s_axis_tdest(16'd7),
        .s_axis_tid(16'd9),
        .s_axis_tuser(32'h0a000002),
        .m_axis_tvalid(answer_valid),
        .m_axis_tready(1'b1),
        .m_axis_tdata(answer_data),
        .m_axis_tkeep(answer_keep),
        .m_axis_tlast(answer_last),
        .m_axis_tdest(answer_dest),
        .m_axis_tid(answer_id),
        .m_axis_tuser(answer_user)
    );
    always #5 clk = !clk;

    task fail(input [8*40-1:0] what);
        begin
            $display("FAIL: cycle %0d: %0s; slave %0d, master %0d", cycle, what, slave_now, master_now);
            wrong = wrong + 1;
        end
    endtask

    // The paths, and other words on them: separate, and within packets with words that look like a request or a
    // response.
    always @(posedge clk) begin
        cycle <= cycle + 1;
        pushed <= push;
        ask_ready <= $random(seed);
        up_valid[cycle % WAY] = 0;
        down_valid[cycle % WAY] = 0;
        if (ask_valid && ask_ready) begin
            if (ask_keep !== 16'hffff || ask_last !== 1 || ask_dest !== 7 || ask_id !== 9 || ask_user !== 32'h0a000001)
                fail("a question is addressed wrongly");
            up_valid[(cycle + UP) % WAY] = 1;
            up_data[(cycle + UP) % WAY] = ask_data;
            up_last[(cycle + UP) % WAY] = 1;
        end else if (foreign && !up_valid[(cycle + UP) % WAY] && $unsigned($random(seed)) % 4 == 0) begin
            up_valid[(cycle + UP) % WAY] = 1; // another packet
            up_data[(cycle + UP) % WAY] = {32'h12345678, 96'd5};
            up_last[(cycle + UP) % WAY] = 1;
        end
        late = 0;
        if (answer_valid) begin
            if (answer_keep !== 16'hffff || answer_last !== 1 || answer_dest !== 9 || answer_id !== 7 ||
                answer_user !== 32'h0a000002)
                fail("an answer is addressed wrongly");
            case (lost ? $unsigned($random(seed)) % 4 : 3)
                0: ; // lost
                1: late = 250;
                default: ;
            endcase
            if (late > 0 || !lost || $unsigned($random(seed)) % 4 > 0) begin
                down_valid[(cycle + DOWN + late) % WAY] = 1;
                down_data[(cycle + DOWN + late) % WAY] = answer_data;
                down_last[(cycle + DOWN + late) % WAY] = 1;
            end
        end else if (foreign && !up_now_valid && !down_valid[(cycle + DOWN) % WAY] &&
            !down_valid[(cycle + DOWN + 1) % WAY] && $unsigned($random(seed)) % 64 == 0) begin
            // two words, the second of which would be the answer
            down_valid[(cycle + DOWN) % WAY] = 1;
            down_last[(cycle + DOWN) % WAY] = 0;
            down_data[(cycle + DOWN) % WAY] = 0;
            down_valid[(cycle + DOWN + 1) % WAY] = 1;
            down_last[(cycle + DOWN + 1) % WAY] = 1;
            down_data[(cycle + DOWN + 1) % WAY] = {ANSWER, slave.number_reg, 64'd12345};
        end
        up_now_valid <= up_valid[(cycle + 1) % WAY];
        up_now_data <= up_data[(cycle + 1) % WAY];
        up_now_last <= up_last[(cycle + 1) % WAY];
        down_now_valid <= down_valid[(cycle + 1) % WAY];
        down_now_data <= down_data[(cycle + 1) % WAY];
        down_now_last <= down_last[(cycle + 1) % WAY];
    end

    // Invariants of every cycle.
    always @(negedge clk) if (!slave_rst) begin
        if (was_synced && synced && !pushed && $signed(slave_now - before) < 0)
            fail("the time went back");
        if (was_synced && synced && !pushed && $signed(slave_now - before) > 2)
            fail("the time went on by more than 2");
        if (synced && syncs > 1 && !push && !slewing && !correct && steps == 0 &&
            $signed(slave_now - master_now) !== expected)
            fail("the time is wrong");
        if (offset_valid) begin
            syncs = syncs + 1;
            if (step)
                before = slave_now;
        end
        was_synced <= synced;
        before <= slave_now;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("lost=%d", lost))
            lost = 0;
        if (!$value$plusargs("foreign=%d", foreign))
            foreign = 0;
        wrong = 0;
        cycle = 0;
        syncs = 0;
        steps = 0;
        was_synced = 0;
        // (t_s2 - t_s1) / 2, rounded down, is longer than the latency of the response by this.
        expected = ((UP + DOWN + 1) / 2) - DOWN;
        for (i = 0; i < WAY; i = i + 1) begin
            up_valid[i] = 0;
            down_valid[i] = 0;
        end
        {up_now_valid, down_now_valid, up_now_last, down_now_last, ask_ready} = 0;
        repeat (5) @(negedge clk);
        master_rst = 0;
        repeat (1000 + $unsigned($random(seed)) % 1000) @(negedge clk);
        slave_rst = 0;
        repeat (10) @(negedge clk);
        init = 1;
        while (syncs < 2) @(negedge clk);
        // A clock error: the time is pushed away, and slewed back.
        for (i = 0; i < 12; i = i + 1) begin
            repeat ($unsigned($random(seed)) % 400) @(negedge clk);
            while (slewing || correct) @(negedge clk);
            steps = 1;
            push_by = $random(seed) % 40;
            push = 1;
            @(negedge clk);
            push = 0;
            syncs = 0;
            while (syncs < 3) @(negedge clk); // one may have been in flight
            while (slewing || correct) @(negedge clk);
            steps = 0;
            if ($signed(slave_now - master_now) !== expected)
                fail("a push is not corrected");
        end
        if (lost && timeouts == 0)
            fail("no question was asked anew");
        if ((lost || foreign) && ignored == 0)
            fail("nothing was ignored");
        if (!lost && timeouts != 0)
            fail("a question was asked anew");
        // Round trips that are too long change nothing.
        max_trip = UP + DOWN;
        repeat (10) @(negedge clk);
        syncs = 0;
        repeat (4000) @(negedge clk);
        if (syncs != 0 || slow == 0)
            fail("a trip that is too long was used");
        // After a reset the slave sends a new request, and corrects in a step.
        init = 0;
        repeat (600) @(negedge clk);
        if (synced)
            fail("the time is synced that nobody keeps");
        max_trip = 0;
        init = 1;
        while (!synced) @(negedge clk);
        repeat (2) @(negedge clk);
        if ($signed(slave_now - master_now) !== expected)
            fail("the time is not set anew");
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
    initial begin
        #20000000 $display("FAIL: it does not end");
        $finish;
    end
endmodule

`resetall
