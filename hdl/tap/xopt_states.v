`resetall
`default_nettype none

// xopt_states: counts the cycles of a frame that a state machine spends in each of its states, in two
// banks of block RAM: one counts while the other, of the frame before, is read. No cycle is lost, also
// when the state changes in every cycle, and when frames change. It looks on, a cycle late, and drives
// nothing.
//
// The state of number i, counted from 0, has the code CODES[WIDTH*i +: WIDTH]; what is none of them is
// counted in the bin behind the last. A bin is read, added to and written in three cycles; what is on
// its way is taken from there.
//
// After done, the bins of the frame are asked for one by one: read with read_bin gives read_valid and
// read_count two cycles later, and clears the bin. All of them must have been read before the next
// frame ends; else its counts go on top of what is left, and overrun is high with its done.
module xopt_states #(
    // Bits of the register; at least 1.
    parameter WIDTH = 2,
    // States that are known; fewer than 2^BIN_BITS.
    parameter STATES = 2,
    // Their codes, the first in the lowest bits; any others will do.
    parameter [WIDTH*STATES-1:0] CODES = {WIDTH*STATES{1'b0}},
    // There are 2^BIN_BITS bins; at least 1.
    parameter BIN_BITS = 5,
    // Bits of a count, which wraps; 1 to 32.
    parameter COUNT_WIDTH = 32
) (
    input  wire                clk,
    input  wire                rst, // held for 2^BIN_BITS cycles and some, it clears the counts
    input  wire                enable,
    input  wire                frame, // high in its last cycle
    input  wire [WIDTH-1:0]    state,
    output reg                 done,
    output reg                 overrun,
    input  wire                read,
    input  wire [BIN_BITS-1:0] read_bin,
    output reg                 read_valid,
    output wire [31:0]         read_count
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (COUNT_WIDTH < 1 || COUNT_WIDTH > 32)
            $fatal(1, "%m: COUNT_WIDTH is %0d, want 1 to 32", COUNT_WIDTH);
        if (BIN_BITS < 1 || STATES < 1 || STATES >= (1 << BIN_BITS))
            $fatal(1, "%m: STATES is %0d, want 1 to %0d", STATES, (1 << BIN_BITS) - 1);
    end

    // Which bin the state of the cycle before belongs to.
    reg [WIDTH-1:0] state_reg;
    reg [BIN_BITS-1:0] number;
    integer i;
    always @* begin
        number = STATES;
        for (i = 0; i < STATES; i = i + 1)
            if (state_reg == CODES[WIDTH*i +: WIDTH])
                number = i[BIN_BITS-1:0];
    end

    // A sample is seen, its bin is asked for, added to, written; frames end behind their last sample.
    reg seen_reg, ask_reg, add_reg, write_reg;
    reg seen_last_reg, ask_last_reg;
    reg bank_reg, add_bank_reg, write_bank_reg; // of the bin that is asked for, and behind
    reg [BIN_BITS-1:0] ask_bin_reg, add_bin_reg, write_bin_reg;
    reg [COUNT_WIDTH-1:0] sum_reg, latest_reg; // that is written now, and that was before
    reg latest_valid_reg, latest_bank_reg;
    reg [BIN_BITS-1:0] latest_bin_reg;
    wire [COUNT_WIDTH-1:0] stored [0:1];
    wire [BIN_BITS:0] adding = {add_bank_reg, add_bin_reg};
    wire near = write_reg && adding == {write_bank_reg, write_bin_reg};
    wire far = latest_valid_reg && adding == {latest_bank_reg, latest_bin_reg};
    wire [COUNT_WIDTH-1:0] earlier = near ? sum_reg : far ? latest_reg : stored[add_bank_reg];

    // The reader's side: a bin is asked for, answered, cleared.
    reg read_reg, read_bank_reg;
    reg [BIN_BITS-1:0] clear_bin_reg;
    reg [COUNT_WIDTH-1:0] answer_reg;
    reg [BIN_BITS:0] unread_reg; // bins
    reg [2:0] done_reg;
    assign read_count = answer_reg;

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : bank
            (* no_rw_check *) reg [COUNT_WIDTH-1:0] memory [0:(1<<BIN_BITS)-1];
            reg [COUNT_WIDTH-1:0] q;
            wire counts = bank_reg == b;
            wire clears = rst || (read_reg && read_bank_reg == b);
            wire writes = write_reg && write_bank_reg == b;
            assign stored[b] = q;
            always @(posedge clk) begin
                q <= memory[counts ? ask_bin_reg : read_bin];
                if (clears || writes)
                    memory[writes && !rst ? write_bin_reg : clear_bin_reg] <= writes && !rst ? sum_reg :
                        {COUNT_WIDTH{1'b0}};
            end
        end
    endgenerate

    always @(posedge clk) begin
        state_reg <= state;
        seen_reg <= enable && !rst;
        seen_last_reg <= frame && !rst;
        ask_reg <= seen_reg && !rst;
        ask_last_reg <= seen_last_reg && !rst;
        ask_bin_reg <= number;
        add_reg <= ask_reg && !rst;
        add_bin_reg <= ask_bin_reg;
        add_bank_reg <= bank_reg;
        write_reg <= add_reg && !rst;
        write_bin_reg <= add_bin_reg;
        write_bank_reg <= add_bank_reg;
        sum_reg <= earlier + 1'b1;
        latest_valid_reg <= write_reg && !rst;
        latest_bin_reg <= write_bin_reg;
        latest_bank_reg <= write_bank_reg;
        latest_reg <= sum_reg;
        // What is asked for in the last cycle of a frame is of it; the next is of the other bank.
        bank_reg <= !rst && (bank_reg ^ ask_last_reg);
        done_reg <= rst ? 3'd0 : {done_reg[1:0], ask_last_reg};
        done <= done_reg[2] && !rst;
        overrun <= done_reg[2] && !rst && unread_reg != 0;
        read_reg <= read && !rst;
        read_bank_reg <= !bank_reg;
        read_valid <= read_reg && !rst;
        answer_reg <= stored[read_bank_reg];
        clear_bin_reg <= rst ? clear_bin_reg + 1'b1 : read_bin;
        if (rst)
            unread_reg <= 0;
        else if (done_reg[2])
            unread_reg <= {1'b1, {BIN_BITS{1'b0}}};
        else if (read && unread_reg != 0)
            unread_reg <= unread_reg - 1'b1;
    end
    initial clear_bin_reg = 0;
endmodule

`resetall
