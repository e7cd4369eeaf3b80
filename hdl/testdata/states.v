`resetall
`default_nettype none

// A test bench of xopt_states: a code changes with a probability of change in 8, possibly to the same again. Frames
// have random lengths; with gaps, some cycles do not count. The growth of every count in every frame since the frame
// before the last must equal the count of the bench, also after a wrap.
module bench;
    parameter BITS = 3, COUNT_WIDTH = 14;
    localparam BINS = 1 << BITS;
    reg clk = 0, rst = 1, enable = 0, frame = 0, read = 0;
    reg [BITS-1:0] code = 0;
    reg [BITS-1:0] read_bin = 0;
    wire done, read_valid;
    wire [31:0] read_count;
    integer seed, change, gaps, cycle, left, i, answered, wrong, frames, asked, dones, wraps;
    reg [31:0] now [0:BINS-1], want [0:BINS-1], last [0:2*BINS-1];
    xopt_states #(
        .BITS(BITS),
        .COUNT_WIDTH(COUNT_WIDTH)
    ) dut (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .frame(frame),
        .code(code),
        .done(done),
        .read(read),
        .read_bin(read_bin),
        .read_valid(read_valid),
        .read_count(read_count)
    );
    always #5 clk = !clk;
    always @(posedge clk) if (!rst) begin
        if (enable)
            now[code] = now[code] + 1;
        if (frame)
            for (i = 0; i < BINS; i = i + 1) begin
                want[i] = now[i];
                now[i] = 0;
            end
        if (done)
            dones = dones + 1;
    end
    // The frame that is read is number frames - 1; its bank is that of all of its parity.
    wire [31:0] place = BINS * ((frames - 1) % 2) + answered;
    always @(posedge clk) if (read_valid) begin
        if (((read_count - last[place]) & ((1 << COUNT_WIDTH) - 1)) !== want[answered]) begin
            $display("FAIL: frame %0d, count %0d is %0d, was %0d, want %0d more", frames, answered, read_count,
                last[place], want[answered]);
            wrong = wrong + 1;
        end
        if (read_count < last[place])
            wraps = wraps + 1;
        last[place] = read_count;
        answered = answered + 1;
    end
    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("change=%d", change))
            change = 4;
        if (!$value$plusargs("gaps=%d", gaps))
            gaps = 0;
        wrong = 0;
        frames = 0;
        answered = 0;
        dones = 0;
        wraps = 0;
        for (i = 0; i < BINS; i = i + 1) begin
            now[i] = 0;
            last[i] = 0;
            last[i+BINS] = 0;
        end
        repeat (2 * BINS + 20) @(negedge clk);
        rst = 0;
        repeat (3) @(negedge clk);
        for (frames = 0; frames < 120; frames = frames + 1) begin
            left = 120 + $unsigned($random(seed)) % 900;
            asked = frames == 0 ? BINS : 0; // of the frame before
            answered = 0;
            for (cycle = 0; cycle < left; cycle = cycle + 1) begin
                if ($unsigned($random(seed)) % 8 < change)
                    code = $random(seed);
                enable = gaps == 0 || $unsigned($random(seed)) % 4 != 0;
                frame = cycle == left - 1;
                read = cycle > 20 && asked < BINS;
                read_bin = asked;
                if (read)
                    asked = asked + 1;
                @(negedge clk);
            end
            if (frames > 0 && answered != BINS) begin
                $display("FAIL: %0d counts answered", answered);
                wrong = wrong + 1;
            end
        end
        if (dones != 119 && dones != 120) begin
            $display("FAIL: %0d frames were done", dones);
            wrong = wrong + 1;
        end
        if (change == 0 && wraps == 0) begin
            $display("FAIL: no count has wrapped");
            wrong = wrong + 1;
        end
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
endmodule

`resetall
