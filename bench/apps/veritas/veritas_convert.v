`resetall
`default_nettype none

// Convert, like convert.c: sends samples as signed numbers, without the pedestal, which is the mean of the first four
// samples. The first four samples wait until the pedestal is known.
module veritas_convert (
    input  wire        clk,
    input  wire        rst,
    input  wire [7:0]  s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output wire [15:0] m_axis_y_tdata,
    output wire        m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    reg [4:0] taken, sent; // received and sent samples, of 24
    reg [7:0] kept [0:3];
    reg [9:0] sum;
    wire first = taken < 4;
    // The first four samples are stored. They leave before the other samples pass.
    wire leaving = taken == 4 && sent < 4;
    wire passing = taken >= 4 && sent >= 4;
    wire [9:0] rounded = sum + 10'd2;
    wire [15:0] pedestal = {8'd0, rounded[9:2]};
    wire [7:0] x = leaving ? kept[sent[1:0]] : s_axis_x_tdata;
    assign m_axis_y_tdata = {8'd0, x} - pedestal;
    assign m_axis_y_tvalid = leaving || (passing && s_axis_x_tvalid);
    assign s_axis_x_tready = first || (passing && m_axis_y_tready);
    wire accept = s_axis_x_tvalid && s_axis_x_tready;
    wire send = m_axis_y_tvalid && m_axis_y_tready;
    wire last = send && sent == 23;
    always @(posedge clk) begin
        if (accept && first) begin
            kept[taken[1:0]] <= s_axis_x_tdata;
            sum <= (taken == 0 ? 10'd0 : sum) + {2'd0, s_axis_x_tdata};
        end
        if (rst || last) begin
            taken <= 0;
            sent <= 0;
        end else begin
            if (accept)
                taken <= taken + 1'b1;
            if (send)
                sent <= sent + 1'b1;
        end
    end
    wire unused = &{1'b0, rounded[1:0]};
endmodule

`resetall
