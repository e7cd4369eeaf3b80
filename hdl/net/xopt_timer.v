`resetall
`default_nettype none

// xopt_timer: the 64-bit time of an FPGA in cycles since the end of the reset (Rafii 2021, 3.2).
//
// A correction is spread over time: in one of 2^LOG_SLEW cycles the time advances by two, or stops, until the
// correction is complete. Therefore the time never runs backward. With step, the correction is immediate and may go
// backward. xopt_ptp_slave uses step only while it marks its time as invalid. A new correction replaces the rest of the
// previous correction.
module xopt_timer #(
    // One cycle in 2^LOG_SLEW corrects the time; 1 to 16.
    parameter LOG_SLEW = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        correct, // starts a correction
    input  wire [63:0] correction, // size of the correction in cycles, signed; without step, only 32 bits
    input  wire        step, // the correction is immediate
    output reg  [63:0] now,
    output wire        slewing // a correction is in progress
);
    initial begin
        if (LOG_SLEW < 1 || LOG_SLEW > 16)
            $fatal(1, "%m: LOG_SLEW is %0d, want 1 to 16", LOG_SLEW);
    end

    reg [31:0] left_reg; // remaining correction, signed
    reg [LOG_SLEW-1:0] turn_reg;
    wire turn = &turn_reg;
    wire behind = turn && left_reg != 0 && !left_reg[31];
    wire ahead = turn && left_reg[31];
    // The time advances by this amount plus 1.
    wire [63:0] more = correct && step ? correction : ahead ? {64{1'b1}} : {63'd0, behind};
    assign slewing = left_reg != 0;

    always @(posedge clk) begin
        now <= now + more + 64'd1;
        turn_reg <= turn_reg + 1'b1;
        if (correct)
            left_reg <= step ? 32'd0 : correction[31:0];
        else if (behind)
            left_reg <= left_reg - 1'b1;
        else if (ahead)
            left_reg <= left_reg + 1'b1;
        if (rst) begin
            now <= 64'd0;
            turn_reg <= 0;
            left_reg <= 32'd0;
        end
    end
endmodule

`resetall
