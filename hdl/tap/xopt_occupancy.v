// xopt_occupancy: what elements find in a queue when they come: those that came before and
// have not left. (xopt_queue counts what is in one cycle by cycle.)
//
// On a chain (see xopt_activity) it has the six words of xopt_value: how many came, least,
// most, last, sum, lower half first.
module xopt_occupancy #(
    parameter WIDTH = 16, // of an occupancy, at most 31
    parameter CHUNK = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             clear, // of what was counted, as rst is of the queue
    input  wire             enable,
    input  wire             frame, // high in its last cycle
    input  wire             enter,
    input  wire             leave,
    output wire             sample, // one has come
    output wire [WIDTH-1:0] found, // by it
    output wire             done, // the figures of a frame stand at the outputs
    output wire [31:0]      count,
    output wire [WIDTH-1:0] least,
    output wire [WIDTH-1:0] most,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    reg [WIDTH-1:0] held;
    assign sample = enter && enable;
    assign found = held;
    wire [WIDTH-1:0] last;
    xopt_value #(.WIDTH(WIDTH), .CHUNK(CHUNK)) values (.clk(clk), .rst(clear), .enable(enable), .frame(frame), .move(enter), .value(held),
        .done(done), .count(count), .least(least), .most(most), .last(last), .sum(sum), .shift(shift), .chain_in(chain_in), .chain_out(chain_out));
    always @(posedge clk)
        if (rst)
            held <= 0;
        else if (enter && !leave)
            held <= held + 1'b1;
        else if (leave && !enter)
            held <= held - 1'b1;
    wire unused = &{1'b0, last};
endmodule
