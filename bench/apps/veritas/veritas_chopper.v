`resetall
`default_nettype none

// Chopper in fixed point, like fixedchopper.c. It adds 8 numbers, which start 3 numbers before the first maximum of the
// first 24 numbers. It stores a complete element, because indices wrap from the first number to the last number. It
// adds the numbers of one element while it receives the next element.
module veritas_chopper (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    output reg  [31:0] m_axis_charge_tdata,
    output reg         m_axis_charge_tvalid,
    input  wire        m_axis_charge_tready
);
    reg [31:0] memory [0:255];
    reg bank;
    reg [6:0] n;
    reg signed [31:0] maximum;
    reg [6:0] peak;
    // The previous element, whose charge is summed.
    reg busy;
    reg [6:0] at;
    reg [3:0] count;
    reg adding;
    reg [31:0] number, sum;

    wire last = n == 95;
    assign s_axis_x_tready = !last || !busy;
    wire accept = s_axis_x_tvalid && s_axis_x_tready;
    wire signed [31:0] x = s_axis_x_tdata;
    wire greater = n == 0 || (n < 24 && x > maximum);
    wire finish = busy && count == 8 && !adding && (!m_axis_charge_tvalid || m_axis_charge_tready);
    always @(posedge clk) begin
        if (accept)
            memory[{bank, n}] <= s_axis_x_tdata;
        number <= memory[{!bank, at}];
        if (accept && greater) begin
            maximum <= x;
            peak <= n;
        end
        if (adding)
            sum <= sum + number;
        if (finish)
            m_axis_charge_tdata <= sum;
        if (rst) begin
            bank <= 1'b0;
            n <= 0;
            busy <= 1'b0;
            adding <= 1'b0;
            m_axis_charge_tvalid <= 1'b0;
        end else begin
            if (finish)
                m_axis_charge_tvalid <= 1'b1;
            else if (m_axis_charge_tready)
                m_axis_charge_tvalid <= 1'b0;
            if (accept)
                n <= last ? 7'd0 : n + 1'b1;
            adding <= busy && count < 8;
            if (accept && last) begin
                bank <= !bank;
                busy <= 1'b1;
                at <= peak < 3 ? peak + 7'd93 : peak - 7'd3;
                count <= 0;
                sum <= 0;
            end else if (finish)
                busy <= 1'b0;
            else if (busy && count < 8) begin
                count <= count + 1'b1;
                at <= at == 95 ? 7'd0 : at + 1'b1;
            end
        end
    end
endmodule

`resetall
