`resetall
`default_nettype none

// xopt_port_out: stores words of a stream for a host that reads them from a register. A word of the stream consists
// of BEATS 32-bit words, lowest bits first. The next word follows when the last 32-bit word has been read. The
// host must check the number of available words: if no word is available, it reads 0.
module xopt_port_out #(
    // Width of a stream word; at least 1.
    parameter WIDTH = 32,
    // Number of 32-bit words for WIDTH bits.
    parameter BEATS = 1,
    // The queue has space for 2^LOG_DEPTH words; 1 to 14.
    parameter LOG_DEPTH = 4
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             read,
    output wire [31:0]      read_data,
    output wire [31:0]      available // available words of the stream
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (BEATS != (WIDTH + 31) / 32)
            $fatal(1, "%m: BEATS is %0d, want %0d", BEATS, (WIDTH + 31) / 32);
        if (LOG_DEPTH < 1 || LOG_DEPTH > 14)
            $fatal(1, "%m: LOG_DEPTH is %0d, want 1 to 14", LOG_DEPTH);
    end

    localparam LAST_BEAT = BEATS - 1;
    localparam LOG_BEATS = BEATS > 1 ? $clog2(BEATS) : 1;
    reg [LOG_BEATS-1:0] beat_reg;
    wire last = beat_reg == LAST_BEAT[LOG_BEATS-1:0];
    wire valid;
    wire [WIDTH-1:0] data;
    wire [LOG_DEPTH+1:0] occupancy;
    xopt_fifo #(
        .WIDTH(WIDTH),
        .LOG_DEPTH(LOG_DEPTH)
    ) queue (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tdata(s_axis_tdata),
        .m_axis_tvalid(valid),
        .m_axis_tready(read && last),
        .m_axis_tdata(data),
        .occupancy(occupancy)
    );
    always @(posedge clk)
        if (rst || (read && valid && last))
            beat_reg <= {LOG_BEATS{1'b0}};
        else if (read && valid)
            beat_reg <= beat_reg + 1'b1;
    wire [32*BEATS-1:0] padded;
    generate
        if (32 * BEATS > WIDTH) begin : wider
            assign padded = {{(32*BEATS-WIDTH){1'b0}}, data};
        end else begin : complete
            assign padded = data;
        end
    endgenerate
    assign read_data = valid ? padded[32*beat_reg +: 32] : 32'd0;
    assign available = valid ? {{(30-LOG_DEPTH){1'b0}}, occupancy} : 32'd0;
endmodule

`resetall
