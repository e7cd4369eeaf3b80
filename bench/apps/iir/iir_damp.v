`resetall
`default_nettype none

// Damp: applies a lowpass filter with one pole, and a gain, like damp.c. It processes a word in every cycle.
module iir_damp #(
    // Weight of new samples, in 1/2^15.
    parameter PASS = 24000,
    // Gain, in 1/2^15.
    parameter GAIN = 27000
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata, // samples of 24 bits
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    initial begin
        if (PASS < 0 || PASS > 32768)
            $fatal(1, "%m: PASS is %0d, expected 0 to 32768", PASS);
        if (GAIN < 0 || GAIN > 32768)
            $fatal(1, "%m: GAIN is %0d, expected 0 to 32768", GAIN);
    end
    localparam signed [17:0] PASSES = PASS, GAINS = GAIN;

    reg signed [23:0] low; // filtered value
    reg low_valid;
    wire signed [24:0] differs = $signed({s_axis_x_tdata[23], s_axis_x_tdata[23:0]}) - $signed({low[23], low});
    wire signed [42:0] passed = differs * PASSES;
    wire signed [41:0] amplified = low * GAINS;
    wire signed [26:0] out = amplified[41:15];

    wire step = !m_axis_y_tvalid || m_axis_y_tready;
    assign s_axis_x_tready = !rst && step;
    always @(posedge clk) begin
        if (step)
            m_axis_y_tdata <= {{5{out[26]}}, out};
        if (rst) begin
            low <= 24'd0;
            low_valid <= 1'b0;
            m_axis_y_tvalid <= 1'b0;
        end else if (step) begin
            if (s_axis_x_tvalid)
                low <= low + passed[38:15];
            low_valid <= s_axis_x_tvalid;
            m_axis_y_tvalid <= low_valid;
        end
    end
endmodule

`resetall
