// xopt_histogram: counts samples by bin, in two sets of block RAM: one counts while the other,
// of the frame before, is read. A sample may come in every cycle, into the same bin
// too. Counts are kept in chunks of CHUNK bits: what overflows one is a sample of the next.
// No sample is lost when frames change.
//
// After done, the bins of the frame are asked for one by one: read with read_bin gives
// read_valid and read_count two cycles later, and clears the bin. All of them must
// have been read before the next frame ends; else its counts go on top of what is
// left, and overrun is high with its done.
module xopt_histogram #(
    parameter BIN_BITS = 5, // 2^BIN_BITS bins
    parameter COUNT_WIDTH = 32,
    parameter CHUNK = 16 // divides COUNT_WIDTH
) (
    input  wire                   clk,
    input  wire                   rst, // held for 2^BIN_BITS cycles and some, it clears the counts
    input  wire                   frame, // high in its last cycle
    input  wire                   sample,
    input  wire [BIN_BITS-1:0]    bin,
    output reg                    done,
    output reg                    overrun,
    input  wire                   read,
    input  wire [BIN_BITS-1:0]    read_bin,
    output reg                    read_valid,
    output reg  [COUNT_WIDTH-1:0] read_count
);
    localparam CHUNKS = COUNT_WIDTH / CHUNK;
    // The last sample of a frame goes on two cycles after it came, is written five later, and
    // may then be one of the next chunk.
    localparam LATE = 5 * CHUNKS + 3;
    reg bank; // that counts
    // The reader's side: asked, answered, cleared.
    reg asked, asked_bank;
    reg [BIN_BITS-1:0] asked_bin;
    reg [BIN_BITS-1:0] sweep; // of the bins that are cleared in reset
    initial sweep = 0;
    reg [BIN_BITS:0] unread;
    wire [1:0] clear = rst ? 2'b11 : {asked && asked_bank, asked && !asked_bank};
    wire [BIN_BITS-1:0] clear_bin = rst ? sweep : asked_bin;

    wire [COUNT_WIDTH-1:0] found;
    // Samples that come one after the other into the same bin go on as one of up to three; the
    // last when it is known that the next is not, or the frame is over.
    reg came, came_bank, same, held, held_bank;
    reg [BIN_BITS-1:0] came_bin, held_bin, latest;
    reg [1:0] run;
    wire over = came_bank != held_bank;
    wire joins = came && same && held && !over && run != 2'd3;
    always @(posedge clk) begin
        came <= sample && !rst;
        came_bin <= bin;
        came_bank <= bank;
        same <= bin == latest;
        if (sample)
            latest <= bin;
        held <= (came || (held && !over)) && !rst;
        if (came) begin
            held_bin <= came_bin;
            held_bank <= came_bank;
            run <= joins ? run + 1'b1 : 2'd1;
        end
    end

    wire [CHUNKS:0] samples, banks;
    wire [BIN_BITS*(CHUNKS+1)-1:0] places;
    assign samples[0] = held && (over || (came && !joins));
    assign banks[0] = held_bank;
    assign places[BIN_BITS-1:0] = held_bin;
    genvar i;
    generate
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            xopt_bin_chunk #(.BIN_BITS(BIN_BITS), .WIDTH(CHUNK)) counts (
                .clk(clk), .rst(rst),
                .sample(samples[i]), .bank(banks[i]), .bin(places[BIN_BITS*i +: BIN_BITS]), .number(i == 0 ? run : 2'd1),
                .over(samples[i+1]), .over_bank(banks[i+1]), .over_bin(places[BIN_BITS*(i+1) +: BIN_BITS]),
                .read_bin(read_bin), .read_bank(asked_bank), .read_count(found[CHUNK*i +: CHUNK]),
                .clear(clear), .clear_bin(clear_bin));
        end
    endgenerate

    reg [LATE-1:0] ending;
    always @(posedge clk) begin
        asked <= read && !rst;
        read_valid <= asked && !rst;
        read_count <= found;
        asked_bin <= read_bin;
        asked_bank <= !bank;
        ending <= rst ? {LATE{1'b0}} : {ending[LATE-2:0], frame};
        done <= ending[LATE-1] && !rst;
        overrun <= ending[LATE-1] && !rst && unread != 0;
        if (rst) begin
            bank <= 1'b0;
            unread <= 0;
            sweep <= sweep + 1'b1;
        end else begin
            sweep <= 0;
            if (frame)
                bank <= !bank;
            if (ending[LATE-1])
                unread <= {1'b1, {BIN_BITS{1'b0}}};
            else if (read && unread != 0)
                unread <= unread - 1'b1;
        end
    end
    wire unused = &{1'b0, samples[CHUNKS], banks[CHUNKS], places[BIN_BITS*CHUNKS +: BIN_BITS]};
endmodule

// xopt_bin_chunk: some bits of the counts of all bins, twice. Addressing, reading, choosing,
// adding and writing a count take a cycle each, and counts on their way are handed on.
//
// Entries for the same bin come in two successive cycles at the most, not in three: of the
// second the first is not added yet when it chooses its count, so that it adds both numbers
// to what the first has chosen.
module xopt_bin_chunk #(
    parameter BIN_BITS = 5,
    parameter WIDTH = 16 // at least 4
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                sample,
    input  wire                bank,
    input  wire [BIN_BITS-1:0] bin,
    input  wire [1:0]          number, // of samples
    output wire                over, // a count began anew
    output wire                over_bank,
    output wire [BIN_BITS-1:0] over_bin,
    input  wire [BIN_BITS-1:0] read_bin,
    input  wire                read_bank, // a cycle later
    output wire [WIDTH-1:0]    read_count,
    input  wire [1:0]          clear, // a bin of a bank
    input  wire [BIN_BITS-1:0] clear_bin
);
    // An entry on its way: 1 address at the memory, 2 count at its output, 3 in a register,
    // 4 that or a count that is on its way to the same bin, 5 with the number added, to be
    // written, 6 written.
    reg valid1, valid2, valid3, valid4, valid5, bank1, bank2, bank3, bank4, bank5;
    reg [BIN_BITS-1:0] bin1, bin2, bin3, bin4, bin5;
    reg [1:0] number1, number2, number3;
    reg [2:0] number4;
    reg [WIDTH-1:0] read3, ahead3, count4, count5, count6;
    reg full5, full6, after4, after5; // after: the entry just ahead is in the number, too
    wire [WIDTH-1:0] out0, out1;
    // Whether entries ahead go into the same bin is found out a cycle before it is needed:
    // one and two cycles ahead of an entry in the third place, three and four of one in the
    // second.
    reg near1, near2, near3, near4, some3;
    assign over = valid5 && full5 && !(after5 && full6);
    assign over_bank = bank5;
    assign over_bin = bin5;
    assign read_count = read_bank ? out1 : out0;

    // Each memory has one reader and one writer in a cycle: the counter when it counts,
    // else whoever reads it out.
    reg write0, write1, clears0, clears1;
    reg [BIN_BITS-1:0] write_bin0, write_bin1;
    always @(posedge clk) begin
        clears0 <= !(valid4 && !bank4);
        clears1 <= !(valid4 && bank4);
        write0 <= clear[0] || (valid4 && !bank4);
        write1 <= clear[1] || (valid4 && bank4);
        write_bin0 <= valid4 && !bank4 ? bin4 : clear_bin;
        write_bin1 <= valid4 && bank4 ? bin4 : clear_bin;
    end
    xopt_bins #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(WIDTH)) memory0 (
        .clk(clk),
        .read_bin(valid1 && !bank1 ? bin1 : read_bin), .read_count(out0),
        .write(write0), .write_bin(write_bin0), .write_count(clears0 ? {WIDTH{1'b0}} : count5));
    xopt_bins #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(WIDTH)) memory1 (
        .clk(clk),
        .read_bin(valid1 && bank1 ? bin1 : read_bin), .read_count(out1),
        .write(write1), .write_bin(write_bin1), .write_count(clears1 ? {WIDTH{1'b0}} : count5));

    always @(posedge clk) begin
        valid1 <= sample && !rst;
        {bank1, bin1, number1} <= {bank, bin, number};
        valid2 <= valid1 && !rst;
        {bank2, bin2, number2} <= {bank1, bin1, number1};
        near1 <= valid3 && bank3 == bank2 && bin3 == bin2;
        near2 <= valid4 && bank4 == bank2 && bin4 == bin2;
        near3 <= valid4 && bank4 == bank1 && bin4 == bin1;
        near4 <= valid5 && bank5 == bank1 && bin5 == bin1;

        valid3 <= valid2 && !rst;
        {bank3, bin3, number3} <= {bank2, bin2, number2};
        read3 <= bank2 ? out1 : out0;
        ahead3 <= near3 ? count5 : count6;
        some3 <= near3 || near4;

        valid4 <= valid3 && !rst;
        {bank4, bin4} <= {bank3, bin3};
        if (!near1)
            count4 <= near2 ? count5 : some3 ? ahead3 : read3;
        number4 <= {1'b0, number3} + (near1 ? number4 : 3'd0);
        after4 <= near1;

        valid5 <= valid4 && !rst;
        {bank5, bin5} <= {bank4, bin4};
        {full5, count5} <= {1'b0, count4} + {{(WIDTH-2){1'b0}}, number4};
        after5 <= after4;
        {full6, count6} <= {full5, count5};
    end
endmodule

// xopt_bins: a block RAM with one reader and one writer.
module xopt_bins #(
    parameter BIN_BITS = 5,
    parameter COUNT_WIDTH = 32
) (
    input  wire                   clk,
    input  wire [BIN_BITS-1:0]    read_bin,
    output reg  [COUNT_WIDTH-1:0] read_count,
    input  wire                   write,
    input  wire [BIN_BITS-1:0]    write_bin,
    input  wire [COUNT_WIDTH-1:0] write_count
);
    (* no_rw_check *) reg [COUNT_WIDTH-1:0] counts [0:(1<<BIN_BITS)-1];
    always @(posedge clk) begin
        read_count <= counts[read_bin];
        if (write)
            counts[write_bin] <= write_count;
    end
endmodule
