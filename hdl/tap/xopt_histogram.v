// xopt_histogram: counts samples by bin, in two sets of block RAM: one counts while the other,
// of the frame before, is read. A sample may come in every cycle, into the same bin
// too. Counts are kept in chunks of CHUNK bits: what overflows one is a sample of the next.
// No sample is lost when frames change.
//
// After done, the bins of the frame are asked for one by one: read with read_bin gives
// read_valid and read_count a cycle later, and clears the bin. All of them must
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
    output wire                   read_valid,
    output wire [COUNT_WIDTH-1:0] read_count
);
    localparam CHUNKS = COUNT_WIDTH / CHUNK;
    // A sample is written four cycles after it came, and may then be one of the next chunk.
    localparam LATE = 4 * CHUNKS + 1;
    reg bank; // that counts
    // The reader's side: asked, answered, cleared.
    reg asked, asked_bank;
    reg [BIN_BITS-1:0] asked_bin;
    reg [BIN_BITS-1:0] sweep; // of the bins that are cleared in reset
    initial sweep = 0;
    reg [BIN_BITS:0] unread;
    wire [1:0] clear = rst ? 2'b11 : {asked && asked_bank, asked && !asked_bank};
    wire [BIN_BITS-1:0] clear_bin = rst ? sweep : asked_bin;

    wire [CHUNKS:0] samples, banks;
    wire [BIN_BITS*(CHUNKS+1)-1:0] places;
    assign samples[0] = sample;
    assign banks[0] = bank;
    assign places[BIN_BITS-1:0] = bin;
    genvar i;
    generate
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            xopt_bin_chunk #(.BIN_BITS(BIN_BITS), .WIDTH(CHUNK)) counts (
                .clk(clk), .rst(rst),
                .sample(samples[i]), .bank(banks[i]), .bin(places[BIN_BITS*i +: BIN_BITS]),
                .over(samples[i+1]), .over_bank(banks[i+1]), .over_bin(places[BIN_BITS*(i+1) +: BIN_BITS]),
                .read_bin(read_bin), .read_bank(asked_bank), .read_count(read_count[CHUNK*i +: CHUNK]),
                .clear(clear), .clear_bin(clear_bin));
        end
    endgenerate
    assign read_valid = asked;

    reg [LATE-1:0] ending;
    always @(posedge clk) begin
        asked <= read && !rst;
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

// xopt_bin_chunk: some bits of the counts of all bins, twice. Reading, choosing, adding and
// writing a count take a cycle each, and counts on their way are handed on.
module xopt_bin_chunk #(
    parameter BIN_BITS = 5,
    parameter WIDTH = 16
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                sample,
    input  wire                bank,
    input  wire [BIN_BITS-1:0] bin,
    output wire                over, // a count began anew
    output wire                over_bank,
    output wire [BIN_BITS-1:0] over_bin,
    input  wire [BIN_BITS-1:0] read_bin,
    input  wire                read_bank, // a cycle later
    output wire [WIDTH-1:0]    read_count,
    input  wire [1:0]          clear, // a bin of a bank
    input  wire [BIN_BITS-1:0] clear_bin
);
    // A sample on its way: 1 address at the memory, 2 count out of it, 3 that or a count that
    // is on its way to the same bin, 4 one more, to be written.
    reg valid1, valid2, valid3, valid4, bank1, bank2, bank3, bank4;
    reg [BIN_BITS-1:0] bin1, bin2, bin3, bin4;
    reg [WIDTH-1:0] count3, count4, count5; // the last has been written
    reg full4;
    wire [WIDTH-1:0] out0, out1;
    // Whether one of the three samples ahead goes into the same bin is found out a cycle
    // before it is needed: near1 for the one just ahead, whose count is only now made.
    reg near1, near2, near3;
    wire [WIDTH-1:0] found = near2 ? count4 : near3 ? count5 : bank2 ? out1 : out0;
    wire [WIDTH-1:0] previous = near1 ? count4 : count3;
    assign over = valid4 && full4;
    assign over_bank = bank4;
    assign over_bin = bin4;
    assign read_count = read_bank ? out1 : out0;

    // Each memory has one reader and one writer in a cycle: the counter when it counts,
    // else whoever reads it out.
    wire write0 = valid4 && !bank4 && !rst;
    wire write1 = valid4 && bank4 && !rst;
    xopt_bins #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(WIDTH)) memory0 (
        .clk(clk),
        .read_bin(valid1 && !bank1 ? bin1 : read_bin), .read_count(out0),
        .write(write0 || clear[0]), .write_bin(write0 ? bin4 : clear_bin), .write_count(write0 ? count4 : {WIDTH{1'b0}}));
    xopt_bins #(.BIN_BITS(BIN_BITS), .COUNT_WIDTH(WIDTH)) memory1 (
        .clk(clk),
        .read_bin(valid1 && bank1 ? bin1 : read_bin), .read_count(out1),
        .write(write1 || clear[1]), .write_bin(write1 ? bin4 : clear_bin), .write_count(write1 ? count4 : {WIDTH{1'b0}}));

    always @(posedge clk) begin
        valid1 <= sample && !rst;
        bin1 <= bin;
        bank1 <= bank;
        valid2 <= valid1 && !rst;
        bin2 <= bin1;
        bank2 <= bank1;
        valid3 <= valid2 && !rst;
        bin3 <= bin2;
        bank3 <= bank2;
        count3 <= found;
        valid4 <= valid3 && !rst;
        bin4 <= bin3;
        bank4 <= bank3;
        {full4, count4} <= {1'b0, previous} + 1'b1;
        count5 <= count4;
        // Of the sample that is in the second place in the next cycle; near1 of that in the
        // third.
        near1 <= valid3 && bank3 == bank2 && bin3 == bin2;
        near2 <= valid3 && bank3 == bank1 && bin3 == bin1;
        near3 <= valid4 && bank4 == bank1 && bin4 == bin1;
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
