`resetall
`default_nettype none

// xopt_timer: the time of an FPGA in cycles, 64 bits, from the end of the reset on (Rafii 2021, 3.2).
//
// A correction is spread over time: in one of 2^LOG_SLEW cycles the time goes on by two, or stands
// still, so that it never goes back, until all of the correction is made. With step it is made at
// once, back as well: xopt_ptp_slave does that only while it says that its time is not yet to be used.
// A correction takes the place of what is left of the one before.
module xopt_timer #(
    // One cycle in 2^LOG_SLEW corrects; 1 to 16.
    parameter LOG_SLEW = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        correct, // a correction, of
    input  wire [63:0] correction, // cycles, with a sign; without step, of 32 bits
    input  wire        step, // at once
    output reg  [63:0] now,
    output wire        slewing // corrections are still to be made
);
    initial begin
        if (LOG_SLEW < 1 || LOG_SLEW > 16)
            $fatal(1, "%m: LOG_SLEW is %0d, want 1 to 16", LOG_SLEW);
    end

    reg [31:0] left_reg; // with a sign
    reg [LOG_SLEW-1:0] turn_reg;
    wire turn = &turn_reg;
    wire behind = turn && left_reg != 0 && !left_reg[31];
    wire ahead = turn && left_reg[31];
    // The time goes on by one more than this.
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
