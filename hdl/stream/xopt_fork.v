`resetall
`default_nettype none

// xopt_fork: sends each word of a stream to WAYS other streams, to each as soon as it accepts the word. The next word
// is accepted when all streams have accepted this word. If all are ready, a word moves in every cycle.
module xopt_fork #(
    // Width of a word; at least 1.
    parameter WIDTH = 8,
    // Number of destinations; at least 2.
    parameter WAYS = 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    output wire [WAYS-1:0]  m_axis_tvalid,
    input  wire [WAYS-1:0]  m_axis_tready,
    output wire [WIDTH-1:0] m_axis_tdata // data for all streams
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (WAYS < 2)
            $fatal(1, "%m: WAYS is %0d, want at least 2", WAYS);
    end

    reg [WAYS-1:0] accepted_reg; // outputs that have accepted this word

    assign m_axis_tvalid = {WAYS{s_axis_tvalid}} & ~accepted_reg;
    assign m_axis_tdata = s_axis_tdata;
    assign s_axis_tready = &(accepted_reg | m_axis_tready);

    always @(posedge clk) begin
        if (rst || (s_axis_tvalid && s_axis_tready))
            accepted_reg <= {WAYS{1'b0}};
        else
            accepted_reg <= accepted_reg | (m_axis_tvalid & m_axis_tready);
    end
endmodule

`resetall
