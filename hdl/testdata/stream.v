`resetall
`timescale 1ns/1ps
`default_nettype none

// Compares a stream through one module with a model: no word is lost, duplicated or changed, and data are stable
// while valid waits for ready. A macro selects the module. The arguments of the run are the rates out of 8 at which a
// word stalls at the input or output, and the seed of both: +stall_in=, +stall_out=, +seed=.
module bench;
    parameter WIDTH = 8;
    parameter SIZE = 4; // LOG_DEPTH, or RATIO
    localparam WORDS = 1000;
`ifdef UPSIZER
    localparam IN = WIDTH, OUT = WIDTH * SIZE, GROUP = SIZE, SPLIT = 1;
`elsif DOWNSIZER
    localparam IN = WIDTH * SIZE, OUT = WIDTH, GROUP = 1, SPLIT = SIZE;
`elsif GEARBOX
    localparam IN = WIDTH * SIZE, OUT = WIDTH * (SIZE + 1), GROUP = SIZE + 1, SPLIT = SIZE;
`elsif GEARBOX_DOWN
    localparam IN = WIDTH * (2 * SIZE + 1), OUT = WIDTH * SIZE, GROUP = SIZE, SPLIT = 2 * SIZE + 1;
`else
    localparam IN = WIDTH, OUT = WIDTH, GROUP = 1, SPLIT = 1;
`endif
    integer stall_in, stall_out, seed_in, seed_out, seed_ways;
    initial begin
        if (!$value$plusargs("stall_in=%d", stall_in) || !$value$plusargs("stall_out=%d", stall_out) ||
            !$value$plusargs("seed=%d", seed_in)) begin
            $display("FAIL: want +stall_in=, +stall_out= and +seed=");
            $finish;
        end
        seed_out = seed_in + 77;
        seed_ways = seed_in + 99;
    end
    reg clk = 0, rst = 1;
    always #5 clk = !clk;
    reg s_valid = 0, m_ready = 0;
    reg [IN-1:0] s_data = 0;
    wire s_ready, m_valid;
    wire [OUT-1:0] m_data;
`ifdef UPSIZER
    xopt_upsizer #(.WIDTH(WIDTH), .RATIO(SIZE), .LOG_RATIO(4)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data));
`elsif DOWNSIZER
    xopt_downsizer #(.WIDTH(WIDTH), .RATIO(SIZE), .LOG_RATIO(4)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data));
`elsif GEARBOX
    xopt_gearbox #(.WIDTH(WIDTH), .FROM(SIZE), .TO(SIZE + 1), .LOG(6)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data));
`elsif GEARBOX_DOWN
    xopt_gearbox #(.WIDTH(WIDTH), .FROM(2 * SIZE + 1), .TO(SIZE), .LOG(6)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data));
`elsif FORK
    // The first output is compared with the model below like any stream, the others here.
    wire [SIZE-1:0] all_valid;
    reg  [SIZE-1:0] others = 0;
    assign m_valid = all_valid[0];
    xopt_fork #(.WIDTH(WIDTH), .WAYS(SIZE)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(all_valid),
        .m_axis_tready({others[SIZE-1:1], m_ready}), .m_axis_tdata(m_data));
    integer came [0:SIZE-1];
    integer w;
    initial for (w = 0; w < SIZE; w = w + 1) came[w] = 0;
    always @(posedge clk) if (!rst)
        for (w = 1; w < SIZE; w = w + 1) begin
            if (all_valid[w] && others[w]) begin
                if (m_data !== word(came[w])) begin
                    $display("FAIL: word %0d of way %0d is %h", came[w], w, m_data);
                    $finish;
                end
                came[w] = came[w] + 1;
            end
            if (came[w] < sent || came[w] > sent + 1) begin
                $display("FAIL: %0d words came on way %0d, and %0d were sent", came[w], w, sent);
                $finish;
            end
            others[w] <= ($random(seed_ways) & 7) >= stall_out;
        end
`elsif INITIAL
    // The first SIZE words are its own. Before the bench starts it sends them once, and is reset again.
    reg own_rst = 1, early = 1;
    initial begin
        #20 own_rst <= 0;
        #40 own_rst <= 1;
        #20 early <= 0;
        #20 own_rst <= 0;
    end
    function [WIDTH*SIZE-1:0] own_words(input integer n);
        integer w;
        for (w = 0; w < n; w = w + 1)
            own_words[w*WIDTH +: WIDTH] = word(w);
    endfunction
    initial sent = SIZE;
    xopt_initial #(.WIDTH(WIDTH), .WORDS(SIZE), .TABLE(SIZE), .LOG_WORDS(3), .VALUES(own_words(SIZE))) dut (.clk(clk),
        .rst(own_rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready || early), .m_axis_tdata(m_data));
`elsif TURNS
    // Replicas that are queues and stall at random: each receives three words in its turn, then those of its next
    // turn. The output is in the order of the input.
    localparam TURN = 3;
    wire [SIZE-1:0] way_valid, way_ready, back_valid, back_ready;
    reg  [SIZE-1:0] takes = 0; // in this cycle
    wire [WIDTH-1:0] way_data;
    wire [SIZE*WIDTH-1:0] back_data;
    xopt_splitter #(.WIDTH(WIDTH), .WAYS(SIZE), .WORDS(TURN), .LOG_WORDS(2)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(way_valid),
        .m_axis_tready(way_ready & takes), .m_axis_tdata(way_data));
    xopt_joiner #(.WIDTH(WIDTH), .WAYS(SIZE), .WORDS(TURN), .LOG_WORDS(2)) collect (.clk(clk), .rst(rst),
        .s_axis_tvalid(back_valid), .s_axis_tready(back_ready), .s_axis_tdata(back_data), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data));
    integer came [0:SIZE-1];
    genvar g;
    generate
        for (g = 0; g < SIZE; g = g + 1) begin : ways
            initial came[g] = 0;
            xopt_fifo #(.WIDTH(WIDTH), .LOG_DEPTH(2)) queue (.clk(clk), .rst(rst),
                .s_axis_tvalid(way_valid[g] && takes[g]), .s_axis_tready(way_ready[g]), .s_axis_tdata(way_data),
                .m_axis_tvalid(back_valid[g]), .m_axis_tready(back_ready[g]),
                .m_axis_tdata(back_data[g*WIDTH +: WIDTH]), .occupancy());
            always @(posedge clk) if (!rst && way_valid[g] && way_ready[g] && takes[g]) begin
                if (way_data !== word((came[g] / TURN * SIZE + g) * TURN + came[g] % TURN)) begin
                    $display("FAIL: word %0d of copy %0d is %h", came[g], g, way_data);
                    $finish;
                end
                came[g] <= came[g] + 1;
            end
        end
    endgenerate
    integer way;
    always @(posedge clk)
        for (way = 0; way < SIZE; way = way + 1)
            takes[way] <= ($random(seed_ways) & 7) >= stall_out;
`else
    wire [SIZE+1:0] occupancy;
    integer inside = 0;
    xopt_fifo #(.WIDTH(WIDTH), .LOG_DEPTH(SIZE)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .occupancy(occupancy));
    always @(posedge clk) if (!rst) begin
        if (occupancy != inside) begin $display("FAIL: occupancy %0d, want %0d", occupancy, inside); $finish; end
        inside = inside + (s_valid && s_ready) - (m_valid && m_ready);
        if (inside > (1 << SIZE) + 1) begin $display("FAIL: %0d words inside", inside); $finish; end
    end
`endif
    // A narrow word is the number of its position.
    function [WIDTH-1:0] word(input integer n);
        word = (n * 32'h9e3779b1) >> 7;
    endfunction
    integer sent = 0, taken = 0, i, cycles = 0;
    task next; // word to be sent
        for (i = 0; i < SPLIT; i = i + 1)
            s_data[i*WIDTH +: WIDTH] <= word(sent * SPLIT + i);
    endtask
    always @(posedge clk) begin
        if (!rst) begin
            if (s_valid && s_ready) sent = sent + 1;
            if (!s_valid || s_ready) begin
                if (sent < WORDS && ($random(seed_in) & 7) >= stall_in) begin
                    s_valid <= 1;
                    next;
                end else
                    s_valid <= 0;
            end
        end
        cycles = cycles + 1;
        if (cycles > 100 * WORDS) begin $display("FAIL: %0d of %0d words came", taken, WORDS); $finish; end
    end
    reg held = 0;
    reg [OUT-1:0] held_data;
    always @(posedge clk) begin
        if (!rst) begin
            if (held && (!m_valid || m_data !== held_data)) begin
                $display("FAIL: word %0d was taken back", taken);
                $finish;
            end
            held = m_valid && !m_ready;
            held_data = m_data;
            if (m_valid && m_ready) begin
                for (i = 0; i < GROUP; i = i + 1)
                    if (m_data[i*WIDTH +: WIDTH] !== word(taken * GROUP + i)) begin
                        $display("FAIL: word %0d is %h", taken, m_data);
                        $finish;
                    end
                taken = taken + 1;
                if (taken == WORDS * SPLIT / GROUP) begin
                    if (stall_in == 0 && stall_out == 0) $display("cycles %0d", cycles);
                    $display("PASS");
                    $finish;
                end
            end
            m_ready <= ($random(seed_out) & 7) >= stall_out;
        end
    end
    initial begin #100 rst <= 0; end
endmodule

`resetall
