// xopt_sum: adds a number in every cycle, in chunks, each a cycle behind the one below it,
// so that no carry runs through more than CHUNK bits in a cycle.
//
// The sum of a frame, with the number of its last cycle, is handed out by chunks: chunk i
// of total is to be kept when take[i] is high, i cycles after frame.
module xopt_sum #(
    parameter WIDTH = 16, // of the numbers
    parameter BITS = 64, // of the sum, a multiple of CHUNK, and at least WIDTH
    parameter CHUNK = 16,
    parameter CHUNKS = BITS / CHUNK
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              frame, // high in its last cycle
    input  wire [WIDTH-1:0]  value,
    output wire [BITS-1:0]   total,
    output wire [CHUNKS-1:0] take
);
    wire [BITS-1:0] wide;
    wire [CHUNKS:0] carry, ends;
    assign carry[0] = 1'b0;
    assign ends[0] = frame;
    genvar i, j;
    generate
        if (BITS == WIDTH) begin : all
            assign wide = value;
        end else begin : part
            assign wide = {{(BITS-WIDTH){1'b0}}, value};
        end
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            // This chunk of the number, as late as the carry from below.
            wire [CHUNK-1:0] late [0:i];
            assign late[0] = wide[CHUNK*i +: CHUNK];
            for (j = 0; j < i; j = j + 1) begin : delay
                reg [CHUNK-1:0] held;
                always @(posedge clk) held <= late[j];
                assign late[j+1] = held;
            end
            reg [CHUNK-1:0] sum;
            reg over, ended;
            wire [CHUNK:0] next = {1'b0, sum} + {1'b0, late[i]} + {{CHUNK{1'b0}}, carry[i]};
            always @(posedge clk) begin
                sum <= rst || ends[i] ? {CHUNK{1'b0}} : next[CHUNK-1:0];
                over <= next[CHUNK] && !rst;
                ended <= ends[i] && !rst;
            end
            assign carry[i+1] = over;
            assign ends[i+1] = ended;
            assign total[CHUNK*i +: CHUNK] = next[CHUNK-1:0];
            assign take[i] = ends[i];
        end
    endgenerate
    wire unused = &{1'b0, carry[CHUNKS], ends[CHUNKS]};
endmodule
