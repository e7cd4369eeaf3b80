// xopt_value: what a field of a stream's words is in a frame: the least, the most, the
// sum and the last value of the words that move, unsigned.
module xopt_value #(
    parameter WIDTH = 16,
    parameter SUM_WIDTH = 48,
    parameter COUNT_WIDTH = 32
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   enable,
    input  wire                   frame, // high in its last cycle
    input  wire                   move, // a word moves
    input  wire [WIDTH-1:0]       value, // in it
    output reg                    done, // the figures of a frame stand at the outputs
    output reg  [COUNT_WIDTH-1:0] count,
    output reg  [WIDTH-1:0]       least,
    output reg  [WIDTH-1:0]       most,
    output reg  [WIDTH-1:0]       last,
    output reg  [SUM_WIDTH-1:0]   sum
);
    reg seen, seen_frame;
    reg [WIDTH-1:0] now;
    reg [COUNT_WIDTH-1:0] counted;
    reg [WIDTH-1:0] low, high, latest;
    reg [SUM_WIDTH-1:0] total;

    wire [COUNT_WIDTH-1:0] new_count = counted + {{(COUNT_WIDTH-1){1'b0}}, seen};
    wire [WIDTH-1:0] new_low = seen && (counted == 0 || now < low) ? now : low;
    wire [WIDTH-1:0] new_high = seen && (counted == 0 || now > high) ? now : high;
    wire [WIDTH-1:0] new_latest = seen ? now : latest;
    wire [SUM_WIDTH-1:0] new_total = total + (seen ? {{(SUM_WIDTH-WIDTH){1'b0}}, now} : {SUM_WIDTH{1'b0}});

    always @(posedge clk) begin
        seen <= enable && move && !rst;
        now <= value;
        seen_frame <= frame && !rst;
        done <= seen_frame && !rst;
        if (seen_frame) begin
            count <= new_count;
            least <= new_low;
            most <= new_high;
            last <= new_latest;
            sum <= new_total;
        end
        if (rst || seen_frame) begin
            counted <= 0;
            low <= 0;
            high <= 0;
            latest <= 0;
            total <= 0;
        end else begin
            counted <= new_count;
            low <= new_low;
            high <= new_high;
            latest <= new_latest;
            total <= new_total;
        end
    end
endmodule
