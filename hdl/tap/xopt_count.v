`resetall
`default_nettype none

// xopt_count: counts cycles with step in chunks of 16 bits. It computes whether a chunk is full before the next step
// requires this. Therefore no carry passes more than 16 bits, and the count is complete in every cycle.
module xopt_count #(
    // Number of 16-bit chunks; at least 1.
    parameter CHUNKS = 2
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 step,
    output reg  [16*CHUNKS-1:0] count
);
    initial begin
        if (CHUNKS < 1)
            $fatal(1, "%m: CHUNKS is %0d, want at least 1", CHUNKS);
    end

    // A chunk above the first is constant for 2^16 steps, so its flag may be one cycle late.
    reg [CHUNKS-1:0] full;
    genvar i;
    generate
        for (i = 0; i < CHUNKS; i = i + 1) begin : chunk
            wire carry;
            if (i == 0) begin : first
                assign carry = step;
            end else begin : next
                assign carry = step && &full[i-1:0];
            end
            always @(posedge clk) begin
                if (i > 0)
                    full[i] <= &count[16*i +: 16] && !rst;
                else if (step || rst)
                    full[i] <= count[15:0] == 16'hfffe && !rst;
                if (rst)
                    count[16*i +: 16] <= 16'd0;
                else if (carry)
                    count[16*i +: 16] <= count[16*i +: 16] + 1'b1;
            end
        end
    endgenerate
    wire unused = &{1'b0, full[CHUNKS-1]};
endmodule

`resetall
