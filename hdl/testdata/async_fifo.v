`resetall
`timescale 1ns/1ps
`default_nettype none

// Compares a stream through xopt_async_fifo with a model: no word is lost, duplicated or changed, data are stable
// while valid waits for ready, and the crossing pointers change by one bit at a time. The arguments of the run are
// half a period of each clock and the jitter of edges in ns, the rates out of 8 at which a word stalls at the input
// or output, and the seed: +s_half=, +m_half=, +jitter=, +stall_in=, +stall_out=, +seed=.
module bench;
    parameter WIDTH = 8;
    parameter LOG_DEPTH = 4;
    localparam WORDS = 1000;
    integer s_half, m_half, jitter, stall_in, stall_out, seed, seed_s, seed_m, seed_in, seed_out;
    integer sent = 0, taken = 0, wrong = 0, fulls = 0, offered = 0;
    time began = 0, ended = 0;
    reg s_clk = 0, m_clk = 0, rst = 1;
    reg [1:0] s_rst = 2'b11, m_rst = 2'b11;
    reg s_valid = 0, m_ready = 0;
    reg [WIDTH-1:0] s_data = 0;
    wire s_ready, m_valid;
    wire [WIDTH-1:0] m_data;
    reg was_held = 0;
    reg [WIDTH-1:0] held;
    reg [LOG_DEPTH:0] last_write = 0, last_read = 0;
    xopt_async_fifo #(
        .WIDTH(WIDTH),
        .LOG_DEPTH(LOG_DEPTH)
    ) dut (
        .s_clk(s_clk),
        .s_rst(s_rst[1]),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .s_axis_tdata(s_data),
        .m_clk(m_clk),
        .m_rst(m_rst[1]),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready),
        .m_axis_tdata(m_data)
    );

    // The word that is sent as the n-th.
    function [WIDTH-1:0] word(input integer n);
        word = (n * 32'd2654435761) >> 7;
    endfunction

    // Half a period, with its jitter.
    function integer half(input integer usual, input integer drawn);
        half = usual + (jitter == 0 ? 0 : $unsigned(drawn) % (2 * jitter + 1) - jitter);
    endfunction

    task fail(input [8*40-1:0] what);
        begin
            $display("FAIL: %0s, word %0d of %0d, at %0t", what, taken, sent, $time);
            wrong = wrong + 1;
            if (wrong > 5)
                $finish;
        end
    endtask

    // Pointers that cross change by one bit, or by none.
    task check_gray(input [LOG_DEPTH:0] was, input [LOG_DEPTH:0] is);
        if (((was ^ is) & ((was ^ is) - 1'b1)) != 0)
            fail("two bits of a pointer changed");
    endtask

    always @(posedge s_clk) begin
        s_rst <= {s_rst[0], rst};
        if (s_valid && s_ready && !s_rst[1])
            sent = sent + 1;
        fulls = fulls + (!s_ready && !s_rst[1]);
    end
    always @(negedge s_clk) begin
        check_gray(last_write, dut.write_gray);
        last_write = dut.write_gray;
        if (!s_rst[1]) begin
            // An offered word stays until it is consumed.
            if (!s_valid || offered < sent)
                s_valid = sent < WORDS && $unsigned($random(seed_in)) % 8 >= stall_in;
            offered = sent;
            s_data = s_valid ? word(sent) : $random(seed_in);
            if (began == 0 && s_valid)
                began = $time;
        end
    end

    always @(posedge m_clk) begin
        m_rst <= {m_rst[0], rst};
        if (!m_rst[1]) begin
            if (was_held && !(m_valid && m_data === held))
                fail("a word was taken back");
            was_held = m_valid && !m_ready;
            held = m_data;
            if (m_valid && m_ready) begin
                if (m_data !== word(taken))
                    fail("a word is another");
                taken = taken + 1;
                ended = $time;
            end
        end
    end
    always @(negedge m_clk) begin
        check_gray(last_read, dut.read_gray);
        last_read = dut.read_gray;
        m_ready = $unsigned($random(seed_out)) % 8 >= stall_out;
    end

    initial begin
        if (!$value$plusargs("s_half=%d", s_half) || !$value$plusargs("m_half=%d", m_half) ||
            !$value$plusargs("jitter=%d", jitter) || !$value$plusargs("stall_in=%d", stall_in) ||
            !$value$plusargs("stall_out=%d", stall_out) || !$value$plusargs("seed=%d", seed)) begin
            $display("FAIL: want +s_half=, +m_half=, +jitter=, +stall_in=, +stall_out= and +seed=");
            $finish;
        end
        seed_s = seed;
        seed_m = seed + 77;
        seed_in = seed + 99;
        seed_out = seed + 123;
        fork
            forever #(half(s_half, $random(seed_s))) s_clk = !s_clk;
            forever #(half(m_half, $random(seed_m))) m_clk = !m_clk;
            begin
                #(30 * (s_half + m_half));
                rst = 0;
            end
            begin
                // Longer than it takes with all stalls.
                #((s_half + m_half) * (WORDS * 64));
                fail("words are missing");
                $finish;
            end
            begin
                wait (taken == WORDS);
                #(100 * (s_half + m_half));
                if (taken != WORDS || sent != WORDS || m_valid)
                    fail("there is a word too many");
                $display("took %0d full %0d", ended - began, fulls);
                if (wrong == 0)
                    $display("PASS");
                $finish;
            end
        join
    end
endmodule

`resetall
