`resetall
`default_nettype none

// xopt_states: counts the cycles of a frame by a code in one block RAM (Koehler 2007, §3.2.1). The code is, for
// example, the state of a state machine together with the activity of a kernel. No cycle is lost, even if the code
// changes in every cycle or frames change. It only observes, a cycle late.
//
// Counts are cleared only in reset. Otherwise they continue, and wrap. Frames alternate between two banks, so that the
// counts of a frame are constant while the next frame is counted. The number of cycles of a frame is the growth of a
// count since the frame before the last. After done, the counts of the frame are requested one by one. A request (read
// with read_bin) returns read_valid and read_count a cycle later. Requests may repeat until the next frame ends.
//
// Consecutive cycles with one code are combined in pairs before a count is read, incremented and written. A count that
// is requested again while it is incremented is not written, but incremented further. Thus a count is never read in the
// cycle in which it is written, and no forwarding is necessary.
module xopt_states #(
    // Width of a code; there are 2^BITS counts. At least 1.
    parameter BITS = 4,
    // Width of a count, 3 to 32. A frame must have fewer than 2^COUNT_WIDTH cycles.
    parameter COUNT_WIDTH = 16
) (
    input  wire            clk,
    input  wire            rst, // clears the counts if it is high for slightly more than 2^(BITS+1) cycles
    input  wire            enable,
    input  wire            frame, // high in the last cycle of a frame
    input  wire [BITS-1:0] code,
    output wire            done,
    input  wire            read,
    input  wire [BITS-1:0] read_bin,
    output reg             read_valid,
    output wire [31:0]     read_count
);
    initial begin
        if (BITS < 1)
            $fatal(1, "%m: BITS is %0d, want at least 1", BITS);
        if (COUNT_WIDTH < 3 || COUNT_WIDTH > 32)
            $fatal(1, "%m: COUNT_WIDTH is %0d, want 3 to 32", COUNT_WIDTH);
    end

    (* no_rw_check, ram_style = "block" *) reg [COUNT_WIDTH-1:0] memory [0:(2<<BITS)-1];
    reg [COUNT_WIDTH-1:0] count_reg, answer_reg;

    // The registers contain the previous cycle with its bank, one or two cycles with the same code, and the count to
    // increment.
    reg seen_reg, bank_reg;
    reg [BITS-1:0] code_reg;
    reg held_reg, two_reg;
    reg [BITS:0] held_bin_reg;
    reg adding_reg;
    reg [1:0] number_reg; // the number that is added
    reg [BITS:0] adding_bin_reg;
    wire [BITS:0] bin = {bank_reg, code_reg};
    wire joins = seen_reg && held_reg && !two_reg && bin == held_bin_reg;
    wire goes = held_reg && !joins;
    wire again = goes && held_bin_reg == adding_bin_reg;
    wire [COUNT_WIDTH-1:0] sum = count_reg + {{(COUNT_WIDTH-2){1'b0}}, number_reg};

    reg [4:0] frame_reg; // one or more cycles late
    assign done = frame_reg[4];
    wire [COUNT_WIDTH+31:0] padded = {32'd0, answer_reg};
    assign read_count = padded[31:0];

    always @(posedge clk) begin
        code_reg <= code;
        seen_reg <= enable && !rst;
        if (joins)
            two_reg <= 1'b1;
        else if (seen_reg) begin
            two_reg <= 1'b0;
            held_bin_reg <= bin;
        end
        held_reg <= (seen_reg || joins) && !rst;
        adding_reg <= goes && !rst;
        number_reg <= (adding_reg && again ? number_reg : 2'd0) + (two_reg ? 2'd2 : 2'd1);
        adding_bin_reg <= rst ? adding_bin_reg + 1'b1 : held_bin_reg;

        count_reg <= memory[held_bin_reg];
        if (rst || (adding_reg && !again))
            memory[adding_bin_reg] <= rst ? {COUNT_WIDTH{1'b0}} : sum;

        // Cycles after the last cycle of a frame belong to the other bank.
        bank_reg <= !rst && (bank_reg ^ frame_reg[0]);
        frame_reg <= rst ? 5'd0 : {frame_reg[3:0], frame};
        answer_reg <= memory[{!bank_reg, read_bin}];
        read_valid <= read && !rst;
    end
    initial adding_bin_reg = 0;
    wire unused = &{1'b0, padded[COUNT_WIDTH+31:32]};
endmodule

`resetall
