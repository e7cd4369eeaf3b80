`resetall
`timescale 1ns/1ps
`default_nettype none

// Compares the records of an agent with the counts of its taps: complete, in order, with the right check, whatever
// stalls there are. Lost records must be reported.
module bench;
    parameter LOG_BUFFER = 8;
    localparam MAX_FRAMES = 80;
    `include "record.vh"
    localparam BIN_BITS = 3, BINS = 1 << BIN_BITS, WORDS = 4, RECORD = RECORD_FIGURES + WORDS + 2 * BINS + 1;
    reg clk = 0, rst = 1;
    always #5 clk = !clk;
    // Arguments of the run: stall, out of 8, is the rate at which a word of a record must wait; frame is the cycles
    // of a frame; shown is the number of printed records.
    integer seed, out_seed, stall, frame_cycles, wanted_frames, shown, i;
    initial begin
        if (!$value$plusargs("seed=%d", seed) || !$value$plusargs("stall=%d", stall) ||
            !$value$plusargs("frame=%d", frame_cycles) || !$value$plusargs("frames=%d", wanted_frames) ||
            !$value$plusargs("shown=%d", shown) || wanted_frames > MAX_FRAMES) begin
            $display("FAIL: want +seed=, +stall=, +frame=, +frames= and +shown=");
            $finish;
        end
        out_seed = seed + 5;
    end
    reg valid = 0, ready = 0, command_valid = 0;
    reg [31:0] command = 0;
    reg [BIN_BITS-1:0] bin = 0;
    wire shift;
    wire [31:0] chain;
    wire enable, frame, clear, command_ready, a_done, m_valid, m_last;
    wire [31:0] moved, waited, idle, m_data;
    wire [1:0] read, read_valid, h_done, h_overrun;
    wire [BIN_BITS-1:0] read_bin;
    wire [63:0] read_count;
    reg m_ready = 0;
    reg [31:0] fixed = 32'hcafe0000; // a figure that changes with the frames
    xopt_activity a (.clk(clk), .rst(clear), .enable(enable), .frame(frame), .valid(valid), .ready(ready),
        .done(a_done), .moved(moved), .waited(waited), .idle(idle), .shift(shift), .chain_in(fixed), .chain_out(chain));
    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : histograms
            xopt_histogram #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(32)) h (.clk(clk), .rst(rst), .frame(frame),
                .sample(enable && valid && ready), .bin(g ? ~bin : bin), .done(h_done[g]), .overrun(h_overrun[g]),
                .read(read[g]), .read_bin(read_bin), .read_valid(read_valid[g]), .read_count(read_count[32*g +: 32]));
        end
    endgenerate
    xopt_agent #(.WORDS(WORDS), .HISTOGRAMS(2), .BIN_BITS(BIN_BITS), .LOG_BUFFER(LOG_BUFFER)) dut (
        .clk(clk), .rst(rst), .s_axis_command_tvalid(command_valid), .s_axis_command_tready(command_ready),
            .s_axis_command_tdata(command), .element(valid && ready),
        .enable(enable), .frame(frame), .clear(clear), .shift(shift), .chain(chain),
        .read(read), .read_bin(read_bin), .read_valid(read_valid), .read_count(read_count),
        .m_axis_record_tvalid(m_valid), .m_axis_record_tready(m_ready), .m_axis_record_tdata(m_data),
            .m_axis_record_tlast(m_last));

    // The content of each frame: [0] moved, waited, idle, fixed, then the bins of both, then the cycle in which it
    // ended.
    integer counts [0:(MAX_FRAMES+40)*32-1];
    integer frames = 0, cycle = 0;
    integer m_moved = 0, m_waited = 0, m_idle = 0;
    integer bins [0:BINS-1];
    always @(posedge clk) if (!rst) begin
        if (clear) cycle = 0;
        if (enable) begin
            if (valid && ready) begin m_moved = m_moved + 1; bins[bin] = bins[bin] + 1; end
            if (valid && !ready) m_waited = m_waited + 1;
            if (!valid) m_idle = m_idle + 1;
        end
        if (frame) begin
            if (frames < MAX_FRAMES + 40) begin
                counts[32*frames] = m_moved; counts[32*frames+1] = m_waited; counts[32*frames+2] = m_idle;
                    counts[32*frames+3] = fixed;
                for (i = 0; i < BINS; i = i + 1) begin
                    counts[32*frames+4+i] = bins[i];
                    counts[32*frames+4+BINS+i] = bins[BINS-1-i];
                end
                counts[32*frames+30] = cycle;
            end
            m_moved = 0; m_waited = 0; m_idle = 0;
            for (i = 0; i < BINS; i = i + 1) bins[i] = 0;
            frames = frames + 1;
        end
        if (!clear) cycle = cycle + 1;
        if (!valid || ready) valid <= ($random(seed) & 3) != 0;
        ready <= ($random(seed) & 3) != 0;
        bin <= $random(seed);
    end

    // Records, as they come.
    reg [31:0] record [0:RECORD];
    integer idle_cycles = 0, at = 0, records = 0, next = 0, lost = 0, number;
    reg [31:0] check;
    reg held = 0;
    reg [32:0] held_word;
    task fail(input integer what);
        begin
            $display("FAIL: %0d, in record %0d of frame %0d, word %0d is %h", what, records, number, at, m_data);
            $finish;
        end
    endtask
    always @(posedge clk) if (!rst) begin
        if (held && (!m_valid || {m_last, m_data} !== held_word)) fail(1);
        held = m_valid && !m_ready;
        held_word = {m_last, m_data};
        if (m_valid && m_ready) begin
            record[at] = m_data;
            at = at + 1;
            if (m_last !== (at == RECORD)) fail(2);
            if (at == RECORD) begin
                number = record[RECORD_NUMBER];
                if (record[0] !== RECORD_MAGIC) fail(3);
                if (number != next + (record[RECORD_LOST] - lost)) fail(4); // those between are counted as lost
                lost = record[RECORD_LOST];
                next = number + 1;
                if (record[RECORD_SIZES] !== {16'd16, 16'd4}) fail(5);
                if (record[RECORD_CYCLE_LOW] !== counts[32*number+30] || record[RECORD_CYCLE_HIGH] !== 0) fail(6);
                for (i = 0; i < WORDS + 2 * BINS; i = i + 1)
                    if (record[RECORD_FIGURES+i] !== counts[32*number+i]) begin
                        $display("word %0d: %0d, want %0d", i, record[RECORD_FIGURES+i], counts[32*number+i]);
                        fail(7);
                    end
                check = 0;
                for (i = 0; i < RECORD - 1; i = i + 1)
                    check = {check[31-CHECK_TURN:0], check[31:32-CHECK_TURN]} ^ record[i];
                if (record[RECORD-1] !== check) fail(8);
                if (records < shown) begin
                    $write("shown");
                    for (i = 0; i < RECORD; i = i + 1) $write(" %h", record[i]);
                    $write("\n");
                end
                records = records + 1;
                at = 0;
            end
        end
        m_ready <= ($random(out_seed) & 7) >= stall;
        idle_cycles = m_valid || frames < wanted_frames ? 0 : idle_cycles + 1;
        if (idle_cycles > 200 && at == 0 && records > 0) begin
            $display("records %0d lost %0d", records, lost);
            $display("PASS");
            $finish;
        end
        if (cycle > 4000 * (frame_cycles + 100)) begin
            $display("FAIL: no end, %0d records of %0d frames", records, frames);
            $finish;
        end
    end
    task send(input [7:0] operation, input [23:0] value);
        begin
            @(posedge clk) begin command <= {operation, value}; command_valid <= 1; end
            @(posedge clk) command_valid <= 0;
        end
    endtask
    initial begin
        for (i = 0; i < BINS; i = i + 1) bins[i] = 0;
        #400 rst <= 0;
        send(COMMAND_LENGTH_LOW, frame_cycles[23:0]);
        send(COMMAND_LENGTH_HIGH, 0);
        send(COMMAND_ENABLE, 1);
        // Nothing is counted after the last frame.
        wait (frames == wanted_frames);
        send(COMMAND_ENABLE, 0);
    end
endmodule

`resetall
