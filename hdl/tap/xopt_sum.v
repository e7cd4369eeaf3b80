// xopt_sum: adds a number in every cycle, in chunks of 16 bits, each a cycle behind the
// one below it, so that no carry runs through more than 16 bits in a cycle.
//
// The sum of a frame, with the number of its last cycle, is handed out by chunks: chunk i
// of total is to be kept when take[i] is high, i cycles after frame.
module xopt_sum #(
    parameter WIDTH = 16, // of the numbers, at most 16 CHUNKS
    parameter CHUNKS = 4
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 frame, // high in its last cycle
    input  wire [WIDTH-1:0]     value,
    output wire [16*CHUNKS-1:0] total,
    output wire [CHUNKS-1:0]    take
);
    wire [16*CHUNKS-1:0] wide = {{(16*CHUNKS-WIDTH){1'b0}}, value};
    wire [CHUNKS:0] carry, ends;
    assign carry[0] = 1'b0;
    assign ends[0] = frame;
    genvar i, j;
    generate
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            // This chunk of the number, as late as the carry from below.
            wire [15:0] late [0:i];
            assign late[0] = wide[16*i +: 16];
            for (j = 0; j < i; j = j + 1) begin : delay
                reg [15:0] held;
                always @(posedge clk) held <= late[j];
                assign late[j+1] = held;
            end
            reg [15:0] sum;
            reg over, fresh, ended; // fresh: the first cycle of a frame
            wire [16:0] next = {1'b0, fresh ? 16'd0 : sum} + {1'b0, late[i]} + {16'd0, carry[i]};
            always @(posedge clk) begin
                sum <= next[15:0];
                over <= next[16] && !rst;
                fresh <= ends[i] || rst;
                ended <= ends[i] && !rst;
            end
            assign carry[i+1] = over;
            assign ends[i+1] = ended;
            assign total[16*i +: 16] = next[15:0];
            assign take[i] = ends[i];
        end
    endgenerate
    wire unused = &{1'b0, carry[CHUNKS], ends[CHUNKS]};
endmodule
