`resetall
`default_nettype none

// A test bench of xopt_trace_axi behind xopt_trace, as trace.v. A memory accepts addresses and beats, and responds,
// each later with a probability of stall in 8 in each cycle. At the end its contents must give the correct values.
module bench;
    parameter TIME_BITS = 8;
    localparam WIDTH = 5, LOG_DEPTH = 6, RECORD = 2 + TIME_BITS + WIDTH, CYCLES = 6000, LOG_RECORDS = 11;
    localparam [31:0] BASE = 32'h3000;
    reg clk = 0, rst = 1, enable = 0, start = 0, counts = 0, flush = 0;
    reg [WIDTH-1:0] value = 0;
    wire valid, ready, awvalid, wvalid, wlast, bready, failed;
    wire [RECORD-1:0] data;
    wire [LOG_DEPTH+1:0] occupancy;
    wire [31:0] dropped, awaddr, wdata;
    wire [7:0] awlen;
    wire [2:0] awsize;
    wire [1:0] awburst;
    wire [3:0] wstrb;
    wire [LOG_RECORDS:0] written;
    reg awready = 0, wready = 0, bvalid = 0;
    integer seed, change, stall, gate, trigger, cycle, i, n, wrong, seen, place, last_place, missing;
    integer addresses, lasts, answers, beats;
    reg [31:0] address, memory [0:(1<<LOG_RECORDS)-1];
    reg [WIDTH:0] was [0:CYCLES-1];
    reg [WIDTH:0] last;
    xopt_trace #(
        .WIDTH(WIDTH),
        .TIME_BITS(TIME_BITS),
        .LOG_DEPTH(LOG_DEPTH)
    ) trace (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .trigger(start),
        .when(counts),
        .value(value),
        .m_axis_tvalid(valid),
        .m_axis_tready(ready),
        .m_axis_tdata(data),
        .occupancy(occupancy),
        .dropped(dropped)
    );
    xopt_trace_axi #(
        .RECORD(RECORD),
        .DATA_BITS(32),
        .ADDR_BITS(32),
        .LOG_BURST(4),
        .LOG_RECORDS(LOG_RECORDS),
        .OCCUPANCY(LOG_DEPTH + 2)
    ) dut (
        .clk(clk),
        .rst(rst),
        .base(BASE),
        .flush(flush),
        .occupancy(occupancy),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .s_axis_tdata(data),
        .m_axi_awvalid(awvalid),
        .m_axi_awready(awready),
        .m_axi_awaddr(awaddr),
        .m_axi_awlen(awlen),
        .m_axi_awsize(awsize),
        .m_axi_awburst(awburst),
        .m_axi_wvalid(wvalid),
        .m_axi_wready(wready),
        .m_axi_wdata(wdata),
        .m_axi_wstrb(wstrb),
        .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid),
        .m_axi_bready(bready),
        .m_axi_bresp(2'b00),
        .written(written),
        .failed(failed)
    );
    always #5 clk = !clk;
    always @(posedge clk) if (enable && (start || seen > 0)) begin
        was[seen] = {counts, value};
        seen = seen + 1;
    end
    task fails;
        begin
            $display("FAIL: cycle %0d, address %h, length %0d, %0d addresses, %0d lasts, %0d answers", cycle, awaddr,
                awlen, addresses, lasts, answers);
            wrong = wrong + 1;
        end
    endtask
    // The memory: the module sends one burst at a time, and the beats may arrive before the address.
    reg [31:0] held [0:255];
    reg [31:0] held_length;
    always @(posedge clk) if (!rst) begin
        if (awvalid && awready) begin
            addresses = addresses + 1;
            address = awaddr;
            held_length = awlen + 1;
            if ((awaddr[11:0] + 4 * (awlen + 1)) > 4096 || awsize != 2 || awburst != 1 || awaddr < BASE ||
                awaddr + 4 * (awlen + 1) > BASE + (4 << LOG_RECORDS))
                fails;
        end
        if (wvalid && wready) begin
            held[beats] = wdata;
            beats = beats + 1;
            if (wlast)
                lasts = lasts + 1;
            if (wstrb != 4'hf)
                fails;
        end
        if (bvalid && bready) begin
            answers = answers + 1;
            for (n = 0; n < beats; n = n + 1)
                memory[(address - BASE) / 4 + n] = held[n];
            if (beats != held_length || addresses != answers || lasts != answers)
                fails;
            beats = 0;
        end
    end
    task differs(input integer at, input [WIDTH:0] told);
        if (told[WIDTH] !== was[at][WIDTH] || (told[WIDTH] && told !== was[at])) begin
            $display("FAIL: cycle %0d is told to be %b, was %b", at, told, was[at]);
            wrong = wrong + 1;
        end
    endtask
    task stands;
        begin
            awready = $unsigned($random(seed)) % 8 >= stall;
            wready = $unsigned($random(seed)) % 8 >= stall;
            // A response stays until it is accepted.
            bvalid = lasts > answers && addresses > answers && (bvalid || $unsigned($random(seed)) % 8 >= stall);
        end
    endtask
    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("change=%d", change))
            change = 4;
        if (!$value$plusargs("stall=%d", stall))
            stall = 0;
        if (!$value$plusargs("gate=%d", gate))
            gate = 0;
        if (!$value$plusargs("trigger=%d", trigger))
            trigger = 0;
        wrong = 0;
        seen = 0;
        last_place = 0;
        missing = 0;
        addresses = 0;
        lasts = 0;
        answers = 0;
        beats = 0;
        repeat (5) @(negedge clk);
        rst = 0;
        repeat (3) @(negedge clk);
        for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
            enable = 1;
            start = cycle == trigger;
            flush = cycle % 1000 == 500;
            counts = gate == 0 || $unsigned($random(seed)) % 8 < gate;
            if ($unsigned($random(seed)) % 8 < change)
                value = $random(seed);
            stands;
            @(negedge clk);
        end
        enable = 0;
        flush = 1;
        for (i = 0; i < 4000; i = i + 1) begin
            stands;
            @(negedge clk);
        end
        for (n = 0; n < written; n = n + 1) begin
            place = last_place + memory[n][WIDTH +: TIME_BITS];
            if (memory[n][RECORD-1])
                missing = missing + 1;
            else
                for (i = last_place; i < place; i = i + 1)
                    differs(i, last);
            last = {memory[n][RECORD-2], memory[n][WIDTH-1:0]};
            differs(place, last);
            last_place = place;
        end
        if (failed || written == 0 || addresses != answers || (occupancy != 0 && !written[LOG_RECORDS]) ||
            (missing == 0 && dropped != 0 && !written[LOG_RECORDS]))
            fails;
        $display("dropped %0d written %0d missing %0d", dropped, written, missing);
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
endmodule

`resetall
