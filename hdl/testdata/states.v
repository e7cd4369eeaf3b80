`resetall
`default_nettype none

// A test bench of xopt_states: a state changes with a probability of change in 8, also to values that are none, and to
// the same again; frames have random lengths; every bin of every frame must be what is counted here.
module bench;
    parameter STATES = 5;
    localparam WIDTH = 4, BIN_BITS = 3, BINS = 1 << BIN_BITS;
    localparam [WIDTH*5-1:0] ALL = {4'd9, 4'd6, 4'd0, 4'd15, 4'd3};
    reg clk = 0, rst = 1, enable = 0, frame = 0, read = 0;
    reg [WIDTH-1:0] state = 0;
    reg [BIN_BITS-1:0] read_bin = 0;
    wire done, overrun, read_valid;
    wire [31:0] read_count;
    integer seed, change, cycle, left, i, s, answered, wrong, frames, asked, at;
    reg [31:0] now [0:BINS-1], want [0:BINS-1];
    xopt_states #(
        .WIDTH(WIDTH),
        .STATES(STATES),
        .CODES(ALL[WIDTH*STATES-1:0]),
        .BIN_BITS(BIN_BITS)
    ) dut (
        .clk(clk),
        .rst(rst),
        .enable(enable),
        .frame(frame),
        .state(state),
        .done(done),
        .overrun(overrun),
        .read(read),
        .read_bin(read_bin),
        .read_valid(read_valid),
        .read_count(read_count)
    );
    always #5 clk = !clk;
    // Which bin a state belongs to.
    always @(posedge clk) if (enable) begin
        s = STATES;
        for (i = 0; i < STATES; i = i + 1)
            if (state == ALL[WIDTH*i +: WIDTH])
                s = i;
        now[s] = now[s] + 1;
        if (frame)
            for (i = 0; i < BINS; i = i + 1) begin
                want[i] = now[i];
                now[i] = 0;
            end
    end
    always @(posedge clk) if (read_valid) begin
        if (read_count !== want[answered]) begin
            $display("FAIL: frame %0d, bin %0d is %0d, want %0d", frames, answered, read_count, want[answered]);
            wrong = wrong + 1;
        end
        answered = answered + 1;
    end
    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        if (!$value$plusargs("change=%d", change))
            change = 4;
        wrong = 0;
        frames = 0;
        answered = 0;
        for (i = 0; i < BINS; i = i + 1)
            now[i] = 0;
        repeat (20) @(negedge clk);
        rst = 0;
        repeat (3) @(negedge clk);
        enable = 1;
        for (frames = 0; frames < 60; frames = frames + 1) begin
            left = 120 + $unsigned($random(seed)) % 900;
            asked = frames == 0 ? BINS : 0; // of the frame before
            answered = 0;
            for (cycle = 0; cycle < left; cycle = cycle + 1) begin
                if ($unsigned($random(seed)) % 8 < change)
                    state = $random(seed);
                frame = cycle == left - 1;
                read = cycle > 40 && asked < BINS;
                read_bin = asked;
                if (read)
                    asked = asked + 1;
                @(negedge clk);
                if (overrun && frames > 0) begin
                    $display("FAIL: overrun");
                    wrong = wrong + 1;
                end
            end
            if (frames > 0 && answered != BINS) begin
                $display("FAIL: %0d bins answered", answered);
                wrong = wrong + 1;
            end
        end
        if (wrong == 0)
            $display("PASS");
        $finish;
    end
endmodule

`resetall
