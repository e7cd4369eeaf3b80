`resetall
`default_nettype none

// xopt_bins: a block RAM with one reader and one writer.
module xopt_bins #(
    // It contains 2^BIN_BITS counts; at least 1.
    parameter BIN_BITS = 5,
    // Width of a count; at least 1.
    parameter COUNT_WIDTH = 32
) (
    input  wire                   clk,
    input  wire [BIN_BITS-1:0]    read_bin,
    output reg  [COUNT_WIDTH-1:0] read_count,
    input  wire                   write,
    input  wire [BIN_BITS-1:0]    write_bin,
    input  wire [COUNT_WIDTH-1:0] write_count
);
    initial begin
        if (BIN_BITS < 1 || COUNT_WIDTH < 1)
            $fatal(1, "%m: BIN_BITS is %0d and COUNT_WIDTH %0d, want at least 1", BIN_BITS, COUNT_WIDTH);
    end

    (* no_rw_check *) reg [COUNT_WIDTH-1:0] counts [0:(1<<BIN_BITS)-1];
    always @(posedge clk) begin
        read_count <= counts[read_bin];
        if (write)
            counts[write_bin] <= write_count;
    end
endmodule

`resetall
