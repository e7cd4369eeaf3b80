`resetall
`default_nettype none

// xopt_bin_chunk: a chunk of bits of the counts of all bins, in two banks. Addressing, reading, selecting, adding and
// writing a count take one cycle each. Counts in the pipeline are forwarded.
//
// Entries for the same bin arrive in at most two consecutive cycles. When the second entry selects its count, the first
// entry has not yet been added. The second entry therefore adds both numbers to the count that the first entry
// selected.
module xopt_bin_chunk #(
    // A bank contains 2^BIN_BITS counts; at least 1.
    parameter BIN_BITS = 5,
    // Width of a count in this chunk; at least 4.
    parameter WIDTH = 16
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                sample,
    input  wire                bank,
    input  wire [BIN_BITS-1:0] bin,
    input  wire [1:0]          number, // number of samples
    output wire                carry, // a count has wrapped
    output wire                carry_bank,
    output wire [BIN_BITS-1:0] carry_bin,
    input  wire [BIN_BITS-1:0] read_bin,
    input  wire                read_bank, // bank of read_bin, a cycle later
    output wire [WIDTH-1:0]    read_count,
    input  wire [1:0]          clear, // a bin of each bank
    input  wire [BIN_BITS-1:0] clear_bin
);
    initial begin
        if (BIN_BITS < 1)
            $fatal(1, "%m: BIN_BITS is %0d, want at least 1", BIN_BITS);
        if (WIDTH < 4)
            $fatal(1, "%m: WIDTH is %0d, want at least 4", WIDTH);
    end

    // An entry passes six stages. In stage 1, its address is at the memory. In stage 2, its count is at the output of
    // the memory. In stage 3, the count is in a register. Stage 4 selects this count, or a newer count of the same bin
    // that is still in the pipeline. Stage 5 adds the number, and stage 6 writes the sum.
    reg valid1, valid2, valid3, valid4, valid5, bank1, bank2, bank3, bank4, bank5;
    reg [BIN_BITS-1:0] bin1, bin2, bin3, bin4, bin5;
    reg [1:0] number1, number2, number3;
    reg [2:0] number4;
    reg [WIDTH-1:0] read3, forward3, count4, count5, count6;
    reg carry5, carry6; // carry of the addition
    reg joined4, joined5; // this entry also includes the number of the previous entry
    // An earlier entry is for the same bin. This is computed one cycle before it is used. Stage 3 computes it for one
    // and two entries ahead, and stage 2 for three and four entries ahead.
    reg match1, match2, match3, match4;
    reg match34; // one of the last two entries, in stage 3
    wire [WIDTH-1:0] out0, out1; // outputs of the banks
    assign carry = valid5 && carry5 && !(joined5 && carry6);
    assign carry_bank = bank5;
    assign carry_bin = bin5;
    assign read_count = read_bank ? out1 : out0;

    // Each memory has one reader and one writer per cycle: the counter while it counts, and otherwise the reader of
    // results.
    reg write0, write1, clear0, clear1;
    reg [BIN_BITS-1:0] write_bin0, write_bin1;
    always @(posedge clk) begin
        clear0 <= !(valid4 && !bank4);
        clear1 <= !(valid4 && bank4);
        write0 <= clear[0] || (valid4 && !bank4);
        write1 <= clear[1] || (valid4 && bank4);
        write_bin0 <= valid4 && !bank4 ? bin4 : clear_bin;
        write_bin1 <= valid4 && bank4 ? bin4 : clear_bin;
    end
    xopt_bins #(
        .BIN_BITS(BIN_BITS),
        .COUNT_WIDTH(WIDTH)
    ) memory0 (
        .clk(clk),
        .read_bin(valid1 && !bank1 ? bin1 : read_bin),
        .read_count(out0),
        .write(write0),
        .write_bin(write_bin0),
        .write_count(clear0 ? {WIDTH{1'b0}} : count5)
    );
    xopt_bins #(
        .BIN_BITS(BIN_BITS),
        .COUNT_WIDTH(WIDTH)
    ) memory1 (
        .clk(clk),
        .read_bin(valid1 && bank1 ? bin1 : read_bin),
        .read_count(out1),
        .write(write1),
        .write_bin(write_bin1),
        .write_count(clear1 ? {WIDTH{1'b0}} : count5)
    );

    always @(posedge clk) begin
        valid1 <= sample && !rst;
        {bank1, bin1, number1} <= {bank, bin, number};

        valid2 <= valid1 && !rst;
        {bank2, bin2, number2} <= {bank1, bin1, number1};
        match1 <= valid3 && bank3 == bank2 && bin3 == bin2;
        match2 <= valid4 && bank4 == bank2 && bin4 == bin2;
        match3 <= valid4 && bank4 == bank1 && bin4 == bin1;
        match4 <= valid5 && bank5 == bank1 && bin5 == bin1;

        valid3 <= valid2 && !rst;
        {bank3, bin3, number3} <= {bank2, bin2, number2};
        read3 <= bank2 ? out1 : out0;
        forward3 <= match3 ? count5 : count6;
        match34 <= match3 || match4;

        valid4 <= valid3 && !rst;
        {bank4, bin4} <= {bank3, bin3};
        if (!match1)
            count4 <= match2 ? count5 : match34 ? forward3 : read3;
        number4 <= {1'b0, number3} + (match1 ? number4 : 3'd0);
        joined4 <= match1;

        valid5 <= valid4 && !rst;
        {bank5, bin5} <= {bank4, bin4};
        {carry5, count5} <= {1'b0, count4} + {{(WIDTH-2){1'b0}}, number4};
        joined5 <= joined4;

        {carry6, count6} <= {carry5, count5};
    end
endmodule

`resetall
