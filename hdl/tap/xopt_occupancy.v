`resetall
`default_nettype none

// xopt_occupancy: measures the number of elements that each element finds in a queue on arrival. These elements arrived
// before it, and have not left. (xopt_queue measures the occupancy in every cycle.)
//
// On a chain (see xopt_activity) it has the six words of xopt_value: arrivals, minimum, maximum, last, sum (lower half
// first).
module xopt_occupancy #(
    // Width of an occupancy; 1 to 31.
    parameter WIDTH = 16,
    // Maximum number of bits that a carry passes in a cycle; a divisor of 32.
    parameter CHUNK = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             clear, // resets the counts; rst resets the queue
    input  wire             enable,
    input  wire             frame, // high in the last cycle of a frame
    input  wire             enter,
    input  wire             leave,
    output wire             sample, // an element has arrived
    output wire [WIDTH-1:0] found, // number of elements that this element finds
    output wire             done, // the figures of a frame are at the outputs
    output wire [31:0]      count,
    output wire [WIDTH-1:0] minimum,
    output wire [WIDTH-1:0] maximum,
    output wire [63:0]      sum,
    input  wire             shift,
    input  wire [31:0]      chain_in,
    output wire [31:0]      chain_out
);
    initial begin
        if (WIDTH < 1 || WIDTH > 31)
            $fatal(1, "%m: WIDTH is %0d, want 1 to 31", WIDTH);
        if (CHUNK < 1 || 32 % CHUNK != 0)
            $fatal(1, "%m: CHUNK is %0d, want a divisor of 32", CHUNK);
    end

    reg [WIDTH-1:0] inside_reg; // elements in the queue
    assign sample = enter && enable;
    assign found = inside_reg;
    wire [WIDTH-1:0] last;
    xopt_value #(
        .WIDTH(WIDTH),
        .CHUNK(CHUNK)
    ) values (
        .clk(clk),
        .rst(clear),
        .enable(enable),
        .frame(frame),
        .move(enter),
        .value(inside_reg),
        .done(done),
        .count(count),
        .minimum(minimum),
        .maximum(maximum),
        .last(last),
        .sum(sum),
        .shift(shift),
        .chain_in(chain_in),
        .chain_out(chain_out)
    );
    always @(posedge clk)
        if (rst)
            inside_reg <= 0;
        else if (enter && !leave)
            inside_reg <= inside_reg + 1'b1;
        else if (leave && !enter)
            inside_reg <= inside_reg - 1'b1;
    wire unused = &{1'b0, last};
endmodule

`resetall
