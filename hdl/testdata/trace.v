`resetall
`default_nettype none

// A test bench of xopt_trace: a value changes with a probability of change in 8, possibly to the same again. With
// gate, cycles count with a probability of gate in 8. Nothing counts before cycle trigger. The reader stalls with a
// probability of stall in 8. The value in each cycle is reconstructed from the records and must be correct.
module bench;
    parameter TIME_BITS = 8;
    localparam WIDTH = 5, LOG_DEPTH = 3, RECORD = 2 + TIME_BITS + WIDTH, CYCLES = 6000;
    reg clk = 0, rst = 1, enable = 0, start = 0, counts = 0, ready = 0;
    reg [WIDTH-1:0] value = 0;
    wire valid;
    wire [RECORD-1:0] data;
    wire [LOG_DEPTH+1:0] occupancy;
    wire [31:0] dropped;
    integer seed, change, stall, gate, trigger, cycle, i, wrong, seen, place, last_place, missing, records;
    reg [WIDTH:0] was [0:CYCLES-1]; // whether it counts, and the value, since the trigger
    reg [WIDTH:0] last;
    xopt_trace #(
        .WIDTH(WIDTH),
        .TIME_BITS(TIME_BITS),
        .LOG_DEPTH(LOG_DEPTH)
    ) dut (
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
    always #5 clk = !clk;
    always @(posedge clk) if (enable && (start || seen > 0)) begin
        was[seen] = {counts, value};
        seen = seen + 1;
    end
    task differs(input integer at, input [WIDTH:0] told);
        if (told[WIDTH] !== was[at][WIDTH] || (told[WIDTH] && told !== was[at])) begin
            $display("FAIL: cycle %0d is told to be %b, was %b", at, told, was[at]);
            wrong = wrong + 1;
        end
    endtask
    always @(posedge clk) if (valid && ready) begin
        place = last_place + data[WIDTH +: TIME_BITS];
        if (data[RECORD-1]) begin
            missing = missing + 1;
            if (&data[WIDTH +: TIME_BITS]) begin
                $display("FAIL: the time is lost");
                wrong = wrong + 1;
            end
        end else
            for (i = last_place; i < place; i = i + 1)
                differs(i, last);
        last = {data[RECORD-2], data[WIDTH-1:0]};
        differs(place, last);
        last_place = place;
        records = records + 1;
    end
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
        records = 0;
        repeat (5) @(negedge clk);
        rst = 0;
        repeat (3) @(negedge clk);
        for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
            enable = cycle % 100 != 99;
            start = cycle == trigger || (cycle > trigger && $unsigned($random(seed)) % 64 == 0);
            counts = gate == 0 || $unsigned($random(seed)) % 8 < gate;
            if ($unsigned($random(seed)) % 8 < change)
                value = $random(seed);
            ready = $unsigned($random(seed)) % 8 >= stall;
            @(negedge clk);
        end
        enable = 0;
        ready = 1;
        repeat (40) @(negedge clk);
        if (records == 0 || seen - last_place > (1 << TIME_BITS) || occupancy != 0 || seen < 4000) begin
            $display("FAIL: %0d records, the last of cycle %0d of %0d, %0d are left", records, last_place, seen,
                occupancy);
            wrong = wrong + 1;
        end
        for (i = last_place; i < seen && missing == 0; i = i + 1)
            differs(i, last);
        if (missing == 0 && dropped != 0) begin
            $display("FAIL: %0d changes were dropped, and no record tells", dropped);
            wrong = wrong + 1;
        end
        $display("dropped %0d records %0d missing %0d", dropped, records, missing);
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
endmodule

`resetall
