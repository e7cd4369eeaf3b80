`resetall
`default_nettype none

// A test bench of xopt_packets and xopt_event: packets of random lengths, with random bytes in use and random stalls.
// In each measurement, the output must equal the counts of the bench.
module bench;
    localparam KEEP_WIDTH = 8, DATA_WIDTH = 64;
    reg clk = 0, rst = 1, measure = 0, valid = 0, ready = 0, last = 0;
    reg [63:0] data = 0, now = 0;
    reg [7:0] keep = 0;
    reg [3:0] smooth;
    wire size_valid, total_valid, average_valid, event_valid;
    wire [31:0] size, lost, hits, events_lost;
    wire [255:0] total;
    wire [63:0] average, event_time;
    reg event_ready = 0;
    integer seed, stall, slow, wrong, round, left, i, bytes, ended, at, averages, taken, totals;
    reg [63:0] cycles, words, packets, all_bytes, want_cycles, want_words, want_packets, want_bytes;
    reg signed [63:0] mean, d;
    reg [63:0] hit [0:65535];
    integer hit_count, hit_at, seen;
    xopt_packets #(
        .KEEP_WIDTH(KEEP_WIDTH)
    ) dut (
        .clk(clk),
        .rst(rst),
        .measure(measure),
        .output_period(32'd50),
        .smooth(smooth),
        .tvalid(valid),
        .tready(ready),
        .tkeep(keep),
        .tlast(last),
        .size_valid(size_valid),
        .size(size),
        .m_axis_total_tvalid(total_valid),
        .m_axis_total_tready(1'b1),
        .m_axis_total_tdata(total),
        .m_axis_size_tvalid(average_valid),
        .m_axis_size_tready(1'b1),
        .m_axis_size_tdata(average),
        .lost(lost)
    );
    xopt_event #(
        .DATA_WIDTH(DATA_WIDTH),
        .LOG_DEPTH(2)
    ) events (
        .clk(clk),
        .rst(rst),
        .now(now),
        .measure(measure),
        .value(64'hdead_0000_0000_0005),
        .mask(64'h0000_0000_0000_000f),
        .tvalid(valid),
        .tready(ready),
        .tdata(data),
        .m_axis_tvalid(event_valid),
        .m_axis_tready(event_ready),
        .m_axis_tdata(event_time),
        .hits(hits),
        .lost(events_lost)
    );
    always #5 clk = !clk;

    // Averages of the cycles that are over, since those that are sent were taken some cycles ago.
    reg [63:0] means [0:65535];
    always @(posedge clk) begin
        now <= now + 1;
        if (measure) begin
            cycles = cycles + 1;
            if (valid && ready) begin
                words = words + 1;
                ended = bytes;
                for (i = 0; i < 8; i = i + 1)
                    ended = ended + keep[i];
                all_bytes = all_bytes + ended - bytes;
                if (data[3:0] == 5) begin
                    hit[hit_count] = now;
                    hit_count = hit_count + 1;
                end
                if (last) begin
                    packets = packets + 1;
                    if (packets == 1)
                        mean = ended * 65536;
                    else begin
                        d = ended * 65536 - mean;
                        if (d >= 0)
                            mean = mean + (d + (64'sd1 <<< smooth) - 1) / (64'sd1 <<< smooth);
                        else
                            mean = mean - (-d + (64'sd1 <<< smooth) - 1) / (64'sd1 <<< smooth);
                    end
                end
            end
            means[cycles] = mean;
        end
        if (valid && ready) begin
            for (i = 0; i < 8; i = i + 1)
                bytes = bytes + keep[i];
            if (last)
                bytes = 0;
        end
        if (average_valid) begin
            averages = averages + 1;
            // all cycles before the last of the 50
            if (average !== means[50 * averages - 1]) begin
                $display("FAIL: average %0d is %0d, want %0d", averages, average, means[50 * averages - 1]);
                wrong = wrong + 1;
            end
        end
        if (total_valid) begin
            totals = totals + 1;
            if (total !== {want_bytes, want_packets, want_words, want_cycles}) begin
                $display("FAIL: %0d cycles, %0d words, %0d packets, %0d bytes; want %0d, %0d, %0d, %0d", total[63:0],
                    total[127:64], total[191:128], total[255:192], want_cycles, want_words, want_packets, want_bytes);
                wrong = wrong + 1;
            end
        end
        if (event_valid && event_ready) begin
            // some may be lost, but none is wrong or out of order
            while (hit_at < hit_count && hit[hit_at] !== event_time)
                hit_at = hit_at + 1;
            if (hit_at == hit_count) begin
                $display("FAIL: an event at %0d that was none", event_time);
                wrong = wrong + 1;
            end
            hit_at = hit_at + 1;
            seen = seen + 1;
        end
    end
    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("stall=%d", stall))
            stall = 0;
        if (!$value$plusargs("slow=%d", slow))
            slow = 0;
        {wrong, bytes, totals} = 0;
        smooth = seed % 5;
        repeat (4) @(negedge clk);
        rst = 0;
        for (round = 0; round < 5; round = round + 1) begin
            {cycles, words, packets, all_bytes, averages, hit_count, hit_at, seen} = 0;
            mean = 0;
            measure = 1;
            left = 1000 + $unsigned($random(seed)) % 1000;
            for (at = 0; at < left; at = at + 1) begin
                if (!valid || ready) begin // what waits stays as it is
                    valid = $unsigned($random(seed)) % 8 >= stall;
                    data = $random(seed);
                    last = $random(seed);
                    keep = last ? 8'hff >> $unsigned($random(seed)) % 8 : 8'hff;
                end
                ready = $unsigned($random(seed)) % 8 >= stall;
                event_ready = !slow || $unsigned($random(seed)) % 256 == 0;
                @(negedge clk);
            end
            {want_cycles, want_words, want_packets, want_bytes} = {cycles, words, packets, all_bytes};
            measure = 0;
            valid = 0;
            event_ready = 1;
            repeat (30) @(negedge clk);
            if (hits !== hit_count || hits !== seen + events_lost || hit_count == 0 || totals != round + 1 ||
                (slow == 0) != (events_lost == 0) || averages < 19) begin
                $display("FAIL: %0d hits of %0d, %0d seen, %0d lost; %0d totals, %0d averages", hits, hit_count, seen,
                    events_lost, totals, averages);
                wrong = wrong + 1;
            end
        end
        if (lost != 0) begin
            $display("FAIL: %0d lost", lost);
            wrong = wrong + 1;
        end
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
endmodule

`resetall
