`resetall
`default_nettype none

// xopt_histogram: counts samples by bin in two banks of block RAM. One bank counts the current frame, while the counts
// of the previous frame are read from the other bank. A sample may arrive in every cycle, even for the same bin. Counts
// are stored in chunks of CHUNK bits. An overflow of a chunk is a sample of the next chunk. No sample is lost between
// frames.
//
// After done, the bins of the frame are requested one by one. A request (read with read_bin) clears the bin, and
// returns read_valid and read_count two cycles later. All bins must be read before the next frame ends. Otherwise the
// counts of that frame are added to the unread counts, and overrun is high with its done.
module xopt_histogram #(
    // Number of bins is 2^BIN_BITS; at least 1.
    parameter BIN_BITS = 5,
    // Width of a count.
    parameter COUNT_WIDTH = 32,
    // Bits of a count that are added in a cycle; a divisor of COUNT_WIDTH, at least 4.
    parameter CHUNK = 16
) (
    input  wire                   clk,
    input  wire                   rst, // clears the counts if it is high for slightly more than 2^BIN_BITS cycles
    input  wire                   frame, // high in the last cycle of a frame
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
    // The last sample of a frame is forwarded two cycles after its arrival and written five cycles later. It may
    // then be a sample of the next chunk.
    localparam DONE_DELAY = 5 * CHUNKS + 3;
    initial begin
        if (BIN_BITS < 1)
            $fatal(1, "%m: BIN_BITS is %0d, want at least 1", BIN_BITS);
        if (CHUNK < 4 || CHUNKS * CHUNK != COUNT_WIDTH)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of COUNT_WIDTH, %0d, of at least 4", CHUNK, COUNT_WIDTH);
    end

    reg bank_reg; // the bank that counts
    // Reader: a bin is requested, returned, cleared.
    reg read_reg, read_bank_reg;
    reg [BIN_BITS-1:0] read_bin_reg;
    reg [BIN_BITS-1:0] sweep_reg; // bin to clear during reset
    initial sweep_reg = 0;
    reg [BIN_BITS:0] unread_reg; // number of unread bins
    wire [1:0] clear = rst ? 2'b11 : {read_reg && read_bank_reg, read_reg && !read_bank_reg};
    wire [BIN_BITS-1:0] clear_bin = rst ? sweep_reg : read_bin_reg;
    wire [COUNT_WIDTH-1:0] counts;

    // Consecutive samples for the same bin form a run of up to three. A run ends when the next sample does not belong
    // to it, or when the frame is over.
    reg sample_reg, sample_bank_reg, same_bin_reg, run_valid_reg, run_bank_reg;
    reg [BIN_BITS-1:0] sample_bin_reg, run_bin_reg, latest_bin_reg;
    reg [1:0] run_length_reg;
    wire bank_changed = sample_bank_reg != run_bank_reg;
    wire joins_run = sample_reg && same_bin_reg && run_valid_reg && !bank_changed && run_length_reg != 2'd3;
    always @(posedge clk) begin
        sample_reg <= sample && !rst;
        sample_bin_reg <= bin;
        sample_bank_reg <= bank_reg;
        same_bin_reg <= bin == latest_bin_reg;
        if (sample)
            latest_bin_reg <= bin;
        run_valid_reg <= (sample_reg || (run_valid_reg && !bank_changed)) && !rst;
        if (sample_reg) begin
            run_bin_reg <= sample_bin_reg;
            run_bank_reg <= sample_bank_reg;
            run_length_reg <= joins_run ? run_length_reg + 1'b1 : 2'd1;
        end
    end

    // The inputs of each chunk: a run for the first chunk, the overflow of a chunk for the next chunk.
    wire [CHUNKS:0] chunk_sample, chunk_bank;
    wire [BIN_BITS*(CHUNKS+1)-1:0] chunk_bin;
    assign chunk_sample[0] = run_valid_reg && (bank_changed || (sample_reg && !joins_run));
    assign chunk_bank[0] = run_bank_reg;
    assign chunk_bin[BIN_BITS-1:0] = run_bin_reg;
    genvar i;
    generate
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            xopt_bin_chunk #(
                .BIN_BITS(BIN_BITS),
                .WIDTH(CHUNK)
            ) bin_chunk (
                .clk(clk),
                .rst(rst),
                .sample(chunk_sample[i]),
                .bank(chunk_bank[i]),
                .bin(chunk_bin[BIN_BITS*i +: BIN_BITS]),
                .number(i == 0 ? run_length_reg : 2'd1),
                .carry(chunk_sample[i+1]),
                .carry_bank(chunk_bank[i+1]),
                .carry_bin(chunk_bin[BIN_BITS*(i+1) +: BIN_BITS]),
                .read_bin(read_bin),
                .read_bank(read_bank_reg),
                .read_count(counts[CHUNK*i +: CHUNK]),
                .clear(clear),
                .clear_bin(clear_bin)
            );
        end
    endgenerate

    reg [DONE_DELAY-1:0] frame_reg; // one or more cycles late
    wire frame_counted = frame_reg[DONE_DELAY-1];
    always @(posedge clk) begin
        read_reg <= read && !rst;
        read_valid <= read_reg && !rst;
        read_count <= counts;
        read_bin_reg <= read_bin;
        read_bank_reg <= !bank_reg;
        frame_reg <= rst ? {DONE_DELAY{1'b0}} : {frame_reg[DONE_DELAY-2:0], frame};
        done <= frame_counted && !rst;
        overrun <= frame_counted && !rst && unread_reg != 0;
        if (rst) begin
            bank_reg <= 1'b0;
            unread_reg <= 0;
            sweep_reg <= sweep_reg + 1'b1;
        end else begin
            sweep_reg <= 0;
            if (frame)
                bank_reg <= !bank_reg;
            if (frame_counted)
                unread_reg <= {1'b1, {BIN_BITS{1'b0}}};
            else if (read && unread_reg != 0)
                unread_reg <= unread_reg - 1'b1;
        end
    end
    wire unused = &{1'b0, chunk_sample[CHUNKS], chunk_bank[CHUNKS], chunk_bin[BIN_BITS*CHUNKS +: BIN_BITS]};
endmodule

`resetall
