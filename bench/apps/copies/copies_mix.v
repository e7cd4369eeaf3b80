`resetall
`default_nettype none

// Mix: applies rounds of a linear congruential step to the numbers of an element, like mix.c, one number in a cycle. It
// receives the eight numbers of an element, mixes them, and sends them. These phases do not overlap, so that replicas
// are worth their area.
module copies_mix #(
    // Rounds for an element; 1 to 65535.
    parameter ROUNDS = 20
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [31:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    localparam [1:0] TAKE = 2'd0;
    localparam [1:0] STIR = 2'd1;
    localparam [1:0] SEND = 2'd2;
    initial begin
        if (ROUNDS < 1 || ROUNDS > 65535)
            $fatal(1, "%m: ROUNDS is %0d, expected 1 to 65535", ROUNDS);
    end
    localparam [31:0] LAST_ROUND = ROUNDS - 1;

    reg [1:0] state;
    reg [2:0] at; // the current number
    reg [15:0] round;
    reg [31:0] last; // the previous number
    reg [31:0] numbers [0:7];
    wire [31:0] stirred = 32'd1664525 * numbers[at] + 32'd1013904223 + last;

    assign s_axis_x_tready = state == TAKE;
    assign m_axis_y_tvalid = state == SEND;
    assign m_axis_y_tdata = numbers[at];

    always @(posedge clk) begin
        if (state == TAKE && s_axis_x_tvalid)
            numbers[at] <= s_axis_x_tdata;
        if (state == STIR && at != 0)
            numbers[at] <= stirred;
        if (state == STIR)
            last <= at == 0 ? numbers[0] : stirred;
        if (rst) begin
            state <= TAKE;
            at <= 3'd0;
            round <= 16'd0;
        end else begin
            case (state)
                TAKE: if (s_axis_x_tvalid) begin
                    at <= at + 3'd1;
                    if (&at)
                        state <= STIR;
                end
                STIR: begin
                    at <= at + 3'd1;
                    if (&at) begin
                        round <= round + 16'd1;
                        if (round == LAST_ROUND[15:0]) begin
                            round <= 16'd0;
                            state <= SEND;
                        end
                    end
                end
                default: if (m_axis_y_tready) begin
                    at <= at + 3'd1;
                    if (&at)
                        state <= TAKE;
                end
            endcase
        end
    end
endmodule

`resetall
