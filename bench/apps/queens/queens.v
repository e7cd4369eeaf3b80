`resetall
`default_nettype none

// Queens: counts the ways to place queens in the rows after the first two, like queens.c (Koehler 2007, ch. 5). It
// checks a queen against one other queen in each cycle. With MERGED, no state only prepares the next state: the
// previous state does this work.
module queens #(
    // Rows and columns; 4 to 16.
    parameter N = 8,
    // 1 omits the preparing states; else 0.
    parameter MERGED = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata, // the columns in the first two rows, one in each byte
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    localparam [3:0] IDLE = 4'd0; // waits for a board
    localparam [3:0] RESET_CHECKER = 4'd1; // the check starts with the first row
    localparam [3:0] ATTACK_CHECK = 4'd2; // against the queen of one row
    localparam [3:0] PLACED = 4'd3; // the queen is not attacked
    localparam [3:0] RESET_ROW = 4'd4; // the queen of the next row is in the first column
    localparam [3:0] FINISHED = 4'd5; // all rows have their queens
    localparam [3:0] NEXT_COLUMN = 4'd6;
    localparam [3:0] BACK = 4'd7; // to the row before
    localparam [3:0] SEND = 4'd8;
    initial begin
        if (N < 4 || N > 16)
            $fatal(1, "%m: N is %0d, expected 4 to 16", N);
        if (MERGED != 0 && MERGED != 1)
            $fatal(1, "%m: MERGED is %0d, expected 0 or 1", MERGED);
    end

    localparam [3:0] LAST = N - 1;
    reg [3:0] state;
    reg [3:0] column [0:15];
    reg [3:0] row, against; // rows
    reg [3:0] here; // the column of the queen in row
    reg [31:0] ways;
    wire [3:0] other = column[against];
    wire [3:0] difference = here > other ? here - other : other - here;
    wire attacked = difference == 4'd0 || difference == row - against;
    wire last = against + 4'd1 == row;

    assign s_axis_x_tready = state == IDLE;
    always @(posedge clk) begin
        case (state)
            IDLE: begin
                against <= 4'd0;
                row <= 4'd1;
                ways <= 32'd0;
                here <= s_axis_x_tdata[11:8];
                column[0] <= s_axis_x_tdata[3:0];
                if (s_axis_x_tvalid) begin
                    if (MERGED)
                        state <= ATTACK_CHECK;
                    else
                        state <= RESET_CHECKER;
                end
            end
            RESET_CHECKER: begin
                against <= 4'd0;
                state <= ATTACK_CHECK;
            end
            ATTACK_CHECK: begin
                against <= against + 4'd1;
                if (attacked)
                    state <= NEXT_COLUMN;
                else if (last)
                    state <= PLACED;
            end
            PLACED: begin
                column[row] <= here;
                against <= 4'd0;
                if (MERGED) begin
                    if (row == LAST) begin
                        ways <= ways + 1'b1;
                        state <= NEXT_COLUMN;
                    end else begin
                        row <= row + 4'd1;
                        here <= 4'd0;
                        state <= ATTACK_CHECK;
                    end
                end else if (row == LAST)
                    state <= FINISHED;
                else begin
                    row <= row + 4'd1;
                    state <= RESET_ROW;
                end
            end
            RESET_ROW: begin
                here <= 4'd0;
                state <= RESET_CHECKER;
            end
            FINISHED: begin
                ways <= ways + 1'b1;
                state <= NEXT_COLUMN;
            end
            NEXT_COLUMN: begin
                against <= 4'd0;
                here <= here + 4'd1;
                if (row == 4'd1)
                    state <= SEND;
                else if (here == LAST)
                    state <= BACK;
                else if (MERGED)
                    state <= ATTACK_CHECK;
                else
                    state <= RESET_CHECKER;
            end
            BACK: begin
                row <= row - 4'd1;
                here <= column[row - 4'd1];
                if (row == 4'd2)
                    state <= SEND;
                else
                    state <= NEXT_COLUMN;
            end
            SEND: if (m_axis_y_tready || !m_axis_y_tvalid) begin
                m_axis_y_tdata <= ways;
                state <= IDLE;
            end
            default: state <= IDLE;
        endcase
        if (m_axis_y_tready)
            m_axis_y_tvalid <= 1'b0;
        if (state == SEND && (m_axis_y_tready || !m_axis_y_tvalid))
            m_axis_y_tvalid <= 1'b1;
        if (rst) begin
            state <= IDLE;
            m_axis_y_tvalid <= 1'b0;
        end
    end
    wire unused = &{1'b0, s_axis_x_tdata[31:12], s_axis_x_tdata[7:4]};
endmodule

`resetall
