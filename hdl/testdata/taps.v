`resetall
`timescale 1ns/1ps
`default_nettype none

// Compares the taps with a model of the same stream: frames of random length, random words and stalls. Every figure
// of every frame must be equal.
module bench;
    parameter LOG_DEPTH = 3;
    parameter CHUNK = 16; // bits that a carry runs through in a cycle
    localparam BIN_BITS = 3;
    parameter FRAMES = 40;
    reg clk = 0, rst = 1;
    always #5 clk = !clk;
    initial // busy, out of 8, is how often a word comes, and may go
        if (!$value$plusargs("seed=%d", seed) || !$value$plusargs("busy=%d", busy)) begin
            $display("FAIL: want +seed= and +busy=");
            $finish;
        end
    integer seed, busy, i, frames = 0, checked = 0;
    reg [15:0] field = 0;
    reg valid = 0, ready = 0, out = 0, frame = 0;
    reg [BIN_BITS-1:0] bin = 0;
    // A queue of 12 words is between the input (valid and ready) and the output.
    integer fill = 0, head = 0, tail = 0, now = 0;
    integer stamps [0:4095];

    wire a_done, q_done, l_done, h_done, h_overrun, sample, read_valid;
    wire [15:0] occupancy, least, most;
    wire [31:0] moved, waited, idle, l_least, l_most, latency, count, missed, chain1, chain2, chain3;
    wire [63:0] q_sum, l_sum, v_sum;
    wire [31:0] v_count;
    wire [15:0] v_least, v_most, v_last;
    wire v_done;
    wire [15:0] bin_count;
    // Occupancy in elements of three words.
    wire enter, leave, o_done, came;
    wire [15:0] found, o_least, o_most;
    wire [31:0] o_count;
    wire [63:0] o_sum;
    xopt_every #(.N(3), .LOG(2)) into (.clk(clk), .rst(rst), .move(valid && ready), .last(enter));
    xopt_every #(.N(3), .LOG(2)) outof (.clk(clk), .rst(rst), .move(out), .last(leave));
    xopt_occupancy #(.WIDTH(16), .CHUNK(CHUNK < 16 ? CHUNK : 8)) o (.clk(clk), .rst(rst), .clear(rst),
        .enable(1'b1), .frame(frame), .enter(enter), .leave(leave), .sample(came), .found(found), .done(o_done),
        .count(o_count), .minimum(o_least), .maximum(o_most), .sum(o_sum), .shift(1'b0), .chain_in(32'd0),
        .chain_out());
    // Gaps between all words, and those in which a word was always present.
    wire g_done, b_done;
    wire [31:0] g_count, g_least, g_most, b_count, b_least, b_most;
    wire [63:0] g_sum, g_products, b_sum, b_products;
    xopt_gap #(.CHUNK(CHUNK < 16 ? CHUNK : 8)) g (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame),
        .move(valid && ready), .broken(1'b0), .sample(), .gap(), .bin_valid(), .bin(), .done(g_done),
        .count(g_count), .minimum(g_least), .maximum(g_most), .sum(g_sum), .products(g_products), .shift(1'b0),
        .chain_in(32'd0), .chain_out());
    xopt_gap #(.CHUNK(CHUNK < 16 ? CHUNK : 8)) b (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame),
        .move(valid && ready), .broken(!valid), .sample(), .gap(), .bin_valid(), .bin(), .done(b_done),
        .count(b_count), .minimum(b_least), .maximum(b_most), .sum(b_sum), .products(b_products), .shift(1'b0),
        .chain_in(32'd0), .chain_out());
    reg read = 0;
    reg [BIN_BITS-1:0] read_bin = 0;
    xopt_activity #(.CHUNK(CHUNK)) a (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame), .valid(valid),
        .ready(ready), .done(a_done), .moved(moved), .waited(waited), .idle(idle), .shift(1'b0), .chain_in(chain1),
        .chain_out());
    xopt_queue #(.WIDTH(16), .CHUNK(CHUNK)) q (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame),
        .enqueue(valid && ready), .dequeue(out), .occupancy(occupancy), .done(q_done), .minimum(least),
        .maximum(most), .sum(q_sum), .shift(1'b0), .chain_in(chain2), .chain_out(chain1));
    xopt_latency #(.LOG_DEPTH(LOG_DEPTH), .CHUNK(CHUNK)) l (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame),
        .entry(valid && ready), .exit(out), .sample(sample), .latency(latency), .done(l_done), .count(count),
        .minimum(l_least), .maximum(l_most), .sum(l_sum), .missed(missed), .shift(1'b0), .chain_in(chain3),
        .chain_out(chain2));
    xopt_value #(.WIDTH(16), .CHUNK(CHUNK)) v (.clk(clk), .rst(rst), .enable(1'b1), .frame(frame),
        .move(valid && ready), .value(field), .done(v_done), .count(v_count), .minimum(v_least), .maximum(v_most),
        .last(v_last), .sum(v_sum), .shift(1'b0), .chain_in(32'd0), .chain_out(chain3));
    xopt_histogram #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(16), .CHUNK(CHUNK)) h (.clk(clk), .rst(rst), .frame(frame),
        .sample(valid && ready), .bin(bin), .done(h_done), .overrun(h_overrun), .read(read), .read_bin(read_bin),
        .read_valid(read_valid), .read_count(bin_count));

    // A number's bin, two cycles later.
    reg [31:0] numbers [0:2];
    reg [2:0] given = 0;
    wire octave_valid;
    wire [6:0] octave;
    xopt_octave oct (.clk(clk), .rst(rst), .valid(given[0]), .value(numbers[0]), .out_valid(octave_valid),
        .bin(octave));
    integer place, octaves = 0;
    always @(posedge clk) if (!rst) begin
        if (octave_valid !== given[2]) fail(19);
        if (given[2]) begin
            place = 0;
            while (place < 31 && (numbers[2] >> (place + 1)) != 0) place = place + 1;
            // the two bits below the highest
            if (octave !== (numbers[2] == 0 ? 0 : 4 * place + (((numbers[2] << 2) >> place) & 3)) &&
                place < 30) fail(20);
            if (place >= 30 && octave !== 4 * place + ((numbers[2] >> (place - 2)) & 3)) fail(21);
            octaves = octaves + 1;
        end
        given <= {given[1:0], valid};
        numbers[0] <= $random(seed) >> ($random(seed) & 31);
        numbers[1] <= numbers[0];
        numbers[2] <= numbers[1];
    end

    // The model of the current frame and of the previous one.
    integer m_moved = 0, m_waited = 0, m_idle = 0, m_least = 1 << 20, m_most = 0, m_sum = 0;
    integer m_vcount = 0, m_vleast = 1 << 20, m_vmost = 0, m_vlast = 0, m_vsum = 0;
    integer e_vcount, e_vleast, e_vmost, e_vlast, e_vsum;
    integer m_count = 0, m_missed = 0, m_lleast = 1 << 20, m_lmost = 0, m_lsum = 0;
    integer e_moved, e_waited, e_idle, e_least, e_most, e_sum, e_count, e_missed, e_lleast, e_lmost, e_lsum;
    integer words_in = 0, words_out = 0, inside;
    integer m_ocount = 0, m_oleast = 1 << 20, m_omost = 0, m_osum = 0;
    integer e_ocount, e_oleast, e_omost, e_osum;
    // Gaps: 0 all, 1 those without a cycle in which no word was present.
    integer last_move = -1, since_broken = 0, gap, number, k;
    integer m_gcount [0:1], m_gleast [0:1], m_gmost [0:1], m_gsum [0:1], m_gproducts [0:1], m_glast [0:1];
    integer e_gcount [0:1], e_gleast [0:1], e_gmost [0:1], e_gsum [0:1], e_gproducts [0:1];
    initial for (k = 0; k < 2; k = k + 1) begin
        m_gcount[k] = 0; m_gleast[k] = 1 << 20; m_gmost[k] = 0; m_gsum[k] = 0; m_gproducts[k] = 0; m_glast[k] = 0;
    end
    integer bins [0:(1<<BIN_BITS)-1];
    integer ended [0:(1<<BIN_BITS)-1];
    // Latency: the measured words.
    reg measured [0:4095];
    integer under_way = 0, unmeasured = 0, took;

    task fail(input integer what);
        begin
            $display("FAIL: figure %0d of frame %0d", what, frames);
            $finish;
        end
    endtask

    integer left = 200, cycle = 0, first = 1;
    always @(posedge clk) begin
        cycle = cycle + 1;
        if (!rst) begin
            // The inputs of the taps in this cycle; the queue's occupancy is the one before it.
            if (valid && ready) begin
                m_moved = m_moved + 1;
                m_vcount = m_vcount + 1;
                if (field < m_vleast) m_vleast = field;
                if (field > m_vmost) m_vmost = field;
                m_vlast = field;
                m_vsum = m_vsum + field;
            end
            if (valid && !ready) m_waited = m_waited + 1;
            if (!valid) m_idle = m_idle + 1;
            fill = fill + (valid && ready) - out;
            if (fill < m_least) m_least = fill;
            if (fill > m_most) m_most = fill;
            m_sum = m_sum + fill;
            // If a word leaves in the cycle in which another arrives, it leaves first, as far as the full queue of
            // time stamps is concerned.
            if (valid && ready) begin
                stamps[head % 4096] = now;
                measured[head % 4096] = under_way < (1 << LOG_DEPTH) && unmeasured == 0;
                bins[bin] = bins[bin] + 1;
            end
            if (out) begin
                if (measured[tail % 4096]) begin
                    took = now - stamps[tail % 4096];
                    m_count = m_count + 1;
                    if (took < m_lleast) m_lleast = took;
                    if (took > m_lmost) m_lmost = took;
                    m_lsum = m_lsum + took;
                    under_way = under_way - 1;
                end else
                    unmeasured = unmeasured - 1;
                tail = tail + 1;
            end
            if (valid && ready) begin
                if (measured[head % 4096]) under_way = under_way + 1;
                else begin
                    unmeasured = unmeasured + 1;
                    m_missed = m_missed + 1;
                end
                head = head + 1;
            end
            now = now + 1;
            if (valid && ready && words_in % 3 == 2) begin
                inside = words_in / 3 - words_out / 3;
                m_ocount = m_ocount + 1;
                if (inside < m_oleast) m_oleast = inside;
                if (inside > m_omost) m_omost = inside;
                m_osum = m_osum + inside;
            end
            if (!valid) since_broken = 1;
            if (valid && ready) begin
                gap = now - last_move;
                number = 0; // of the bin
                while (number < 29 && (gap >> (number + 1)) != 0) number = number + 1;
                number = 4 * number + (((gap << 2) >> number) & 3) + 1;
                for (k = 0; k < 2; k = k + 1)
                    if (last_move >= 0 && (k == 0 || !since_broken)) begin
                        m_gcount[k] = m_gcount[k] + 1;
                        if (gap < m_gleast[k]) m_gleast[k] = gap;
                        if (gap > m_gmost[k]) m_gmost[k] = gap;
                        m_gsum[k] = m_gsum[k] + gap;
                        m_gproducts[k] = m_gproducts[k] + number * m_glast[k];
                        m_glast[k] = number;
                    end
                last_move = now;
                since_broken = 0;
            end
            words_in = words_in + (valid && ready);
            words_out = words_out + out;
            if (frame) begin
                for (k = 0; k < 2; k = k + 1) begin
                    e_gcount[k] = m_gcount[k]; e_gleast[k] = m_gleast[k]; e_gmost[k] = m_gmost[k];
                    e_gsum[k] = m_gsum[k]; e_gproducts[k] = m_gproducts[k];
                    m_gcount[k] = 0; m_gleast[k] = 1 << 20; m_gmost[k] = 0; m_gsum[k] = 0; m_gproducts[k] = 0;
                end
                e_ocount = m_ocount; e_oleast = m_oleast; e_omost = m_omost; e_osum = m_osum;
                m_ocount = 0; m_oleast = 1 << 20; m_omost = 0; m_osum = 0;
                e_moved = m_moved; e_waited = m_waited; e_idle = m_idle; e_least = m_least; e_most = m_most;
                    e_sum = m_sum;
                e_count = m_count; e_missed = m_missed; e_lleast = m_lleast; e_lmost = m_lmost; e_lsum = m_lsum;
                e_vcount = m_vcount; e_vleast = m_vleast; e_vmost = m_vmost; e_vlast = m_vlast; e_vsum = m_vsum;
                m_vcount = 0; m_vleast = 1 << 20; m_vmost = 0; m_vlast = 0; m_vsum = 0;
                m_moved = 0; m_waited = 0; m_idle = 0; m_least = 1 << 20; m_most = 0; m_sum = 0;
                m_count = 0; m_missed = 0; m_lleast = 1 << 20; m_lmost = 0; m_lsum = 0;
                for (i = 0; i < (1 << BIN_BITS); i = i + 1) begin ended[i] = bins[i]; bins[i] = 0; end
                frames = frames + 1;
            end
            if (a_done) begin
                if (moved !== e_moved) fail(1);
                if (waited !== e_waited) fail(2);
                if (idle !== e_idle) fail(3);
                checked = checked + 1;
            end
            if (q_done) begin
                if (least !== e_least) fail(4);
                if (most !== e_most) fail(5);
                if (q_sum !== e_sum) fail(6);
                checked = checked + 1;
            end
            if (v_done) begin
                if (v_count !== e_vcount) fail(13);
                if (e_vcount > 0 && (v_least !== e_vleast || v_last !== e_vlast)) fail(14);
                if (v_most !== e_vmost || v_sum !== e_vsum) fail(15);
                checked = checked + 1;
            end
            if (o_done) begin
                if (o_count !== e_ocount) fail(16);
                if (e_ocount > 0 && o_least !== e_oleast) fail(17);
                if (o_most !== e_omost || o_sum !== e_osum) fail(18);
                checked = checked + 1;
            end
            if (g_done) begin
                if (g_count !== e_gcount[0] || g_sum !== e_gsum[0]) fail(23);
                if (e_gcount[0] > 0 && g_least !== e_gleast[0] || g_most !== e_gmost[0]) fail(24);
                if (g_products !== e_gproducts[0]) fail(25);
                checked = checked + 1;
            end
            if (b_done) begin
                if (b_count !== e_gcount[1] || b_sum !== e_gsum[1]) fail(26);
                if (e_gcount[1] > 0 && b_least !== e_gleast[1] || b_most !== e_gmost[1]) fail(27);
                if (b_products !== e_gproducts[1]) fail(28);
                checked = checked + 1;
            end
            if (l_done) begin
                if (count !== e_count) fail(7);
                if (missed !== e_missed) fail(8);
                if (e_count > 0 && l_least !== e_lleast) fail(9);
                if (l_most !== e_lmost) fail(10);
                if (l_sum !== e_lsum) fail(11);
                checked = checked + 1;
            end
            // The next inputs of the taps.
            left = left - 1;
            frame <= left == 0;
            if (left == 0) left = 60 + ($random(seed) & 127);
            if (!valid || ready) valid <= ($random(seed) & 7) < busy;
            ready <= ($random(seed) & 7) < 6 && fill + (valid && ready) < 11;
            out <= ($random(seed) & 7) < busy && fill > 2;
            field <= $random(seed);
            bin <= ($random(seed) & 3) == 0 ? $random(seed) : bin; // runs of one bin
        end
    end
    // Bins are read after each frame.
    integer next = -1, answered = 0, want;
    always @(posedge clk) if (!rst) begin
        if (read_valid) begin
            want = ended[answered];
            if (bin_count !== want) begin
                $display("FAIL: bin %0d of frame %0d holds %0d, want %0d", answered, frames, bin_count, want);
                $finish;
            end
            answered = answered + 1;
            checked = checked + 1;
        end
        if (h_done && h_overrun) fail(12);
        if (h_done) begin next = 0; answered = 0; end
        if (next >= 0 && next < (1 << BIN_BITS)) begin
            read <= 1;
            read_bin <= next;
            next = next + 1;
        end else begin
            read <= 0;
        end
        if (frames == FRAMES) begin
            if (octaves < 100) fail(22);
            if (checked < FRAMES * 13) begin $display("FAIL: %0d figures were compared", checked); $finish; end
            $display("PASS");
            $finish;
        end
    end
    initial begin
        for (i = 0; i < (1 << BIN_BITS); i = i + 1) bins[i] = 0;
        #400 rst <= 0;
    end
endmodule

`resetall
