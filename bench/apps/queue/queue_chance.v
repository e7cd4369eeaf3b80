`resetall
`default_nettype none

// queue_chance reports an event with probability 1/MEAN in each cycle. It uses a generator of 32 bits (Marsaglia 2003:
// shifts of 13, 17 and 5). With CONSTANT, it reports an event MEAN cycles after start.
module queue_chance #(
    // Mean cycles between events; at least 1.
    parameter [31:0] MEAN = 20,
    // 1: constant intervals; else 0.
    parameter [31:0] CONSTANT = 0,
    // Initial value of the generator; any other than 0.
    parameter [31:0] SEED = 32'h2545f491
) (
    input  wire clk,
    input  wire rst,
    input  wire start, // the next constant interval starts
    output wire now
);
    initial begin
        if (MEAN < 1)
            $fatal(1, "%m: MEAN is %0d, expected at least 1", MEAN);
        if (CONSTANT > 1)
            $fatal(1, "%m: CONSTANT is %0d, expected 0 or 1", CONSTANT);
    end

    localparam [31:0] LIMIT = 32'hffffffff / MEAN;
    reg [31:0] random_reg, count_reg;
    wire [31:0] left = random_reg ^ (random_reg << 13);
    wire [31:0] right = left ^ (left >> 17);
    assign now = CONSTANT == 1 ? count_reg >= MEAN - 1 : random_reg <= LIMIT;
    always @(posedge clk) begin
        random_reg <= rst ? SEED : right ^ (right << 5);
        if (rst || start)
            count_reg <= 32'd0;
        else if (!now)
            count_reg <= count_reg + 1'b1;
    end
endmodule

`resetall
