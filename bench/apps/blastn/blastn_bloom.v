`resetall
`default_nettype none

// Bloom is stage 1a. Like bloom.c, it selects the words of the database that are in the query, and few other words. It
// receives the filter once. It then tests LANES bases in every cycle, each with four hashes. A pipeline without stalls
// finds the words. A second pipeline sends each word with its surroundings from a memory of the latest bases.
module blastn_bloom #(
    // Bases that are tested in a cycle; a divisor of 32.
    parameter LANES = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        drain, // the input has ended
    input  wire [63:0] s_axis_x_tdata, // 32 bases, the first in the lowest bits
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    input  wire [63:0] s_axis_f_tdata,
    input  wire        s_axis_f_tvalid,
    output wire        s_axis_f_tready,
    output reg  [63:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    localparam POSITION = 44;        // bits of a position in the database
    localparam WORD = 11, LEFT = 74, AROUND = 160; // dna.h
    localparam COPIES = (LANES + 1) / 2; // copies of the filter, each with two ports
    localparam LOG_KEPT = 6, KEPT = 1 << LOG_KEPT; // stored words of 32 bases
    localparam LOG_FOUND = 5, FOUND = 1 << LOG_FOUND, STAGES = 7;
    localparam [POSITION-1:0] GROUP = LANES;
    initial begin
        if (LANES < 1 || 32 % LANES != 0)
            $fatal(1, "%m: LANES is %0d, expected a divisor of 32", LANES);
    end

    // The filter.
    reg [14:0] filled; // words
    wire       full = filled[14];
    assign s_axis_f_tready = !full && !rst;
    wire       fill = s_axis_f_tvalid && s_axis_f_tready;
    always @(posedge clk)
        if (rst)
            filled <= 15'd0;
        else if (fill)
            filled <= filled + 15'd1;

    // The latest bases, and the bases still to be tested.
    reg [63:0]         kept [0:KEPT-1];
    reg [POSITION-1:0] came;   // received bases
    reg [POSITION-1:0] settled; // first base of a group; all earlier words are sent
    reg [63:0]         now;
    reg [5:0]          left_now; // groups left in now
    reg [POSITION-1:0] at;      // the first base of now
    wire               room;    // space for words that the pipeline may find
    wire               look = left_now != 6'd0 && room;
    assign s_axis_x_tready = full && !rst && (left_now == 6'd0 || (left_now == 6'd1 && look)) &&
                             came + 44'd192 <= settled + 32 * KEPT;
    wire accept = s_axis_x_tvalid && s_axis_x_tready;
    always @(posedge clk) begin
        if (accept)
            kept[came[LOG_KEPT+4:5]] <= s_axis_x_tdata;
        if (rst) begin
            came <= 44'd0;
            left_now <= 6'd0;
        end else begin
            if (look) begin
                now <= now >> (2 * LANES);
                left_now <= left_now - 6'd1;
                at <= at + GROUP;
            end
            if (accept) begin
                now <= s_axis_x_tdata;
                left_now <= 32 / LANES;
                at <= came;
                came <= came + 44'd32;
            end
        end
    end

    // Stage 0: the words that end in the group. The first base of a word is the highest.
    reg  [2*WORD-3:0]         previous; // the ten bases before the group
    wire [2*LANES-1:0]        turned;   // the group, its first base the highest
    wire [2*(WORD+LANES)-3:0] line = {previous, turned};
    wire [2*WORD*LANES-1:0]   ends;
    genvar i, p;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : words
            assign turned[2*(LANES-1-i) +: 2] = now[2*i +: 2];
            assign ends[2*WORD*i +: 2*WORD] = line[2*(LANES-1-i) +: 2*WORD];
        end
    endgenerate
    reg [STAGES-1:0]          valid;
    reg [POSITION*STAGES-1:0] place; // first base of the group in each stage
    reg [2*WORD*LANES-1:0]    word;
    always @(posedge clk) begin
        if (look)
            previous <= line[2*WORD-3:0];
        word <= ends;
        valid <= rst ? {STAGES{1'b0}} : {valid[STAGES-2:0], look};
        place <= {place[POSITION*(STAGES-1)-1:0], at};
    end

    // Stages 1 and 2: 50 bits of the word times 0x9e3779b97f4a7c15. Stage 3: four hashes.
    // Stages 4 to 6: a word of the filter, its bit, and whether all four are set.
    wire [LANES-1:0] hit;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : lane
            reg [38:0] low, middle;
            reg [37:0] high;
            reg [49:0] product;
            reg [17:0] first, step;
            reg [71:0] index;
            always @(posedge clk) begin
                low <= word[2*WORD*i +: 2*WORD] * 17'h07c15;
                middle <= word[2*WORD*i +: 2*WORD] * 17'h0bfa5;
                high <= word[2*WORD*i +: 2*WORD] * 16'hde6e;
                product <= {11'd0, low} + {middle[32:0], 17'd0} + {high[15:0], 34'd0};
                index <= {first + step + {step[16:0], 1'b0}, first + {step[16:0], 1'b0}, first + step, first};
            end
            always @* begin
                first = product[17:0] ^ product[49:32];
                step = product[49:32] | 18'd1;
            end
        end
        for (i = 0; i < COPIES; i = i + 1) begin : copy
            wire [3:0] both_a, both_b;
            for (p = 0; p < 4; p = p + 1) begin : part
                localparam SECOND = 2 * i + 1 < LANES ? 2 * i + 1 : 2 * i;
                reg [63:0]  bits [0:4095];
                reg [63:0]  a, b;
                reg [5:0]   bit_a, bit_b;
                reg         is_a, is_b;
                wire [17:0] index_a = lane[2*i].index[18*p +: 18], index_b = lane[SECOND].index[18*p +: 18];
                wire [11:0] address_a = full ? index_a[17:6] : filled[11:0];
                always @(posedge clk) begin
                    if (fill && filled[13:12] == p)
                        bits[address_a] <= s_axis_f_tdata;
                    a <= bits[address_a];
                    b <= bits[index_b[17:6]];
                    bit_a <= index_a[5:0];
                    bit_b <= index_b[5:0];
                    is_a <= a[bit_a];
                    is_b <= b[bit_b];
                end
                assign both_a[p] = is_a;
                assign both_b[p] = is_b;
            end
            reg [1:0] all;
            always @(posedge clk) all <= {&both_b, &both_a};
            assign hit[2*i] = all[0];
            if (2 * i + 1 < LANES) begin : second
                assign hit[2*i+1] = all[1];
            end
        end
    endgenerate

    // The groups with a found word.
    wire [POSITION-1:0] place_hit = place[POSITION*(STAGES-1) +: POSITION];
    wire [LANES-1:0]    complete; // the word is complete
    generate
        for (i = 0; i < LANES; i = i + 1) begin : begun
            assign complete[i] = place_hit + i >= WORD - 1;
        end
    endgenerate
    reg [POSITION+LANES-1:0] found [0:FOUND-1];
    reg [LOG_FOUND-1:0]      put, got;
    reg [LOG_FOUND:0]        waiting;
    wire                     push = valid[STAGES-1] && |(hit & complete);
    wire                     pop;
    assign room = waiting < FOUND - STAGES - 2;
    reg [POSITION+LANES-1:0] head;
    always @(posedge clk) begin
        if (push)
            found[put] <= {place_hit, hit & complete};
        if (pop)
            head <= found[got];
        if (rst) begin
            put <= 0;
            got <= 0;
            waiting <= 0;
        end else begin
            if (push)
                put <= put + 1'b1;
            if (pop)
                got <= got + 1'b1;
            if (push != pop)
                waiting <= push ? waiting + 1'b1 : waiting - 1'b1;
        end
    end

    // Each found word is sent after the bases that follow it have arrived. Step 0 waits. Steps 1 to 7 send a word
    // each, and read the word of the surroundings that is needed next.
    reg [LANES-1:0]    todo; // words of the group in head still to be sent
    reg                fresh; // todo does not contain the group in head yet
    reg [2:0]          step;
    reg [POSITION-1:0] end_at; // the last base of the word
    wire [POSITION-1:0] head_place = head[LANES +: POSITION];
    assign pop = waiting != 0 && !fresh && todo == 0;
    wire                go = !m_axis_y_tvalid || m_axis_y_tready;
    // Positions before the surroundings are relative to 128 before the database.
    wire [POSITION-1:0] begin_at = end_at - (WORD - 1);
    wire [POSITION-1:0] left = end_at + 44'd128 - (WORD - 1 + LEFT);
    reg  [POSITION-1:0] lowest; // lowest base in todo
    reg  [LANES-1:0]    lowest_bit;
    integer             n;
    always @* begin
        lowest = head_place;
        lowest_bit = 0;
        for (n = LANES - 1; n >= 0; n = n - 1)
            if (todo[n]) begin
                lowest = head_place + {12'd0, n};
                lowest_bit = 1 << n;
            end
    end
    wire                there = drain || came >= end_at + (AROUND - WORD - LEFT + 1);
    reg                 chosen;  // end_at belongs to a word
    reg  [POSITION-1:0] passed;  // last group that was tested
    reg  [POSITION-1:0] reading; // word of the surroundings that is read, in units of 32 bases
    reg  [63:0]         got_word, old_word;
    reg                 none;    // got_word is not in the database
    wire [63:0]         surroundings = none ? 64'd0 : got_word;
    wire [POSITION-1:0] first_word = {5'd0, left[POSITION-1:5]};
    wire [127:0]        two = {surroundings, old_word} >> {left[4:0], 1'b0};
    // The number of existing bases in the surroundings.
    wire [POSITION-1:0] rest = came + 44'd128 - left;
    wire [7:0]          from = left < 44'd128 ? 8'd128 - left[7:0] : 8'd0;
    wire [7:0]          to = rest < AROUND ? rest[7:0] : AROUND;
    always @(posedge clk) begin
        if (step == 3'd0 || go) begin
            got_word <= kept[reading[LOG_KEPT-1:0] - 6'd4];
            none <= reading < 44'd4 || reading >= {5'd0, came[POSITION-1:5]} + 44'd4;
            old_word <= surroundings;
        end
        if (m_axis_y_tready)
            m_axis_y_tvalid <= 1'b0;
        if (pop)
            fresh <= 1'b1;
        if (fresh) begin
            todo <= head[LANES-1:0];
            fresh <= 1'b0;
        end
        if (!chosen && todo != 0) begin
            end_at <= lowest;
            chosen <= 1'b1;
            todo <= todo & ~lowest_bit;
        end
        if (step == 3'd0) begin
            reading <= first_word;
            if (chosen && there)
                step <= 3'd1;
        end else if (go) begin
            reading <= reading + 44'd1;
            m_axis_y_tvalid <= 1'b1;
            case (step)
                3'd1: m_axis_y_tdata <= {{(64 - POSITION){1'b0}}, begin_at};
                3'd2: m_axis_y_tdata <= {16'd0, to, from, 32'd0};
                default: m_axis_y_tdata <= two[63:0];
            endcase
            step <= step + 3'd1;
            if (step == 3'd7) begin
                step <= 3'd0;
                chosen <= 1'b0;
            end
        end
        // Bases before settled are no longer needed.
        if (valid[STAGES-1])
            passed <= place_hit;
        if (chosen)
            settled <= end_at;
        else if (todo == 0 && !fresh && waiting == 0 && !push)
            settled <= passed;
        if (rst) begin
            m_axis_y_tvalid <= 1'b0;
            fresh <= 1'b0;
            todo <= 0;
            step <= 3'd0;
            chosen <= 1'b0;
            settled <= 44'd0;
            passed <= 44'd0;
        end
    end
endmodule

`resetall
