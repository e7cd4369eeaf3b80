`resetall
`default_nettype none

// xopt_event: records the times at which a word with a given value passes a stream while measure is high (Rafii 2021,
// 3.5.4). Only the bits in mask are compared. value and mask may change at any time. Times wait in a queue. If the
// queue is full, new times are dropped and counted in lost. The module only observes the stream.
module xopt_event #(
    // Width of a word; a multiple of 32.
    parameter DATA_WIDTH = 128,
    // The queue has space for 2^LOG_DEPTH + 1 times; at least 1.
    parameter LOG_DEPTH = 4
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [63:0]           now, // time of the timer
    input  wire                  measure,
    input  wire [DATA_WIDTH-1:0] value,
    input  wire [DATA_WIDTH-1:0] mask,
    input  wire                  tvalid,
    input  wire                  tready,
    input  wire [DATA_WIDTH-1:0] tdata,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire [63:0]           m_axis_tdata,
    output reg  [31:0]           hits, // number of times since measure went high
    output reg  [31:0]           lost // number of dropped times
);
    localparam PARTS = DATA_WIDTH / 32;
    initial begin
        if (DATA_WIDTH < 32 || DATA_WIDTH % 32 != 0)
            $fatal(1, "%m: DATA_WIDTH is %0d, want a multiple of 32", DATA_WIDTH);
        if (LOG_DEPTH < 1)
            $fatal(1, "%m: LOG_DEPTH is %0d, want at least 1", LOG_DEPTH);
    end

    reg [PARTS-1:0] same, same_reg; // comparisons of 32 bits each
    reg move_reg, measure_reg, hit_reg;
    reg [63:0] now_reg, hit_now_reg;
    wire room;
    wire [LOG_DEPTH+1:0] unused_occupancy;
    integer i;
    always @*
        for (i = 0; i < PARTS; i = i + 1)
            same[i] = ((tdata[32*i +: 32] ^ value[32*i +: 32]) & mask[32*i +: 32]) == 32'd0;
    xopt_fifo #(
        .WIDTH(64),
        .LOG_DEPTH(LOG_DEPTH)
    ) times (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(hit_reg),
        .s_axis_tready(room),
        .s_axis_tdata(hit_now_reg),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .occupancy(unused_occupancy)
    );

    always @(posedge clk) begin
        same_reg <= same;
        move_reg <= tvalid && tready && measure && !rst;
        now_reg <= now;
        measure_reg <= measure && !rst;
        hit_reg <= move_reg && (&same_reg) && !rst;
        hit_now_reg <= now_reg;
        if (hit_reg)
            hits <= hits + 1'b1;
        if (hit_reg && !room)
            lost <= lost + 1'b1;
        if (rst || (measure && !measure_reg)) begin
            hits <= 32'd0;
            lost <= 32'd0;
        end
    end
endmodule

`resetall
