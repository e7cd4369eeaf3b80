// xopt_fork: each word of a stream goes to WAYS others, to each as soon as it takes it. The
// next word comes when all have taken this one; where all are ready that is in every cycle.
module xopt_fork #(
    parameter WIDTH = 8,
    parameter WAYS = 2 // at least 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output wire [WAYS-1:0]  m_valid,
    input  wire [WAYS-1:0]  m_ready,
    output wire [WIDTH-1:0] m_data // for all
);
    reg [WAYS-1:0] taken; // who has this word already

    assign m_valid = {WAYS{s_valid}} & ~taken;
    assign m_data = s_data;
    assign s_ready = &(taken | m_ready);

    always @(posedge clk) begin
        if (rst || (s_valid && s_ready))
            taken <= {WAYS{1'b0}};
        else
            taken <= taken | (m_valid & m_ready);
    end
endmodule
