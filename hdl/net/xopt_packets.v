`resetall
`default_nettype none

// xopt_packets: counts the packets of a stream while measure is high (Rafii 2021, 3.5.2, 3.5.3). At the end it sends 32
// bytes, lowest byte first, 8 for each count: cycles, words, packets, bytes (by tkeep). It also computes the moving
// average of packet sizes (Eq. 3.4) with beta = 2^-smooth, starting with the first packet. Every output_period cycles
// it sends the average as 8 bytes, of which the lower 2 are the fraction. The average is 0 if no packet has ended. A
// packet counts when it ends. If an output cannot be sent, it is dropped and counted in lost. The module only observes
// the stream.
module xopt_packets #(
    // Width of tkeep: bytes of a word; a multiple of 8.
    parameter KEEP_WIDTH = 16
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  measure,
    input  wire [31:0]           output_period, // cycles; 0: no averages
    input  wire [3:0]            smooth,
    input  wire                  tvalid,
    input  wire                  tready,
    input  wire [KEEP_WIDTH-1:0] tkeep,
    input  wire                  tlast,
    output reg                   size_valid, // a packet has ended
    output reg  [31:0]           size, // bytes of this packet
    output reg                   m_axis_total_tvalid,
    input  wire                  m_axis_total_tready,
    output reg  [255:0]          m_axis_total_tdata,
    output reg                   m_axis_size_tvalid,
    input  wire                  m_axis_size_tready,
    output reg  [63:0]           m_axis_size_tdata,
    output reg  [31:0]           lost
);
    localparam GROUPS = KEEP_WIDTH / 8;
    initial begin
        if (KEEP_WIDTH < 8 || KEEP_WIDTH % 8 != 0)
            $fatal(1, "%m: KEEP_WIDTH is %0d, want a multiple of 8", KEEP_WIDTH);
    end

    // One cycle late: the bytes of each group of 8. Two cycles late: the bytes of the word. Three cycles late: all
    // counts.
    reg [4*GROUPS-1:0] groups, groups_reg;
    reg [31:0] word_bytes, word_bytes_reg;
    reg [1:0] move_reg, last_reg;
    reg [2:0] measure_reg;
    reg [31:0] bytes_reg; // bytes of the packet until now
    reg [63:0] cycle_count, word_count, packet_count, byte_count;
    reg [47:0] average_reg;
    reg some_reg; // a packet has ended
    reg [31:0] since_reg;
    integer i, j;
    always @* begin
        groups = 0;
        for (i = 0; i < GROUPS; i = i + 1)
            for (j = 0; j < 8; j = j + 1)
                groups[4*i +: 4] = groups[4*i +: 4] + {3'd0, tkeep[8*i+j]};
        word_bytes = 0;
        for (i = 0; i < GROUPS; i = i + 1)
            word_bytes = word_bytes + {28'd0, groups_reg[4*i +: 4]};
    end
    wire counted = measure_reg[1];
    wire ended = counted && move_reg[1] && last_reg[1];
    wire begins = measure_reg[0] && !measure_reg[1];
    wire ends = measure_reg[2] && !measure_reg[1];
    wire due = counted && output_period != 0 && since_reg == output_period - 1'b1;
    wire [31:0] complete = bytes_reg + word_bytes_reg;
    wire [47:0] scaled = {complete, 16'd0};
    wire [47:0] difference = scaled - average_reg; // sizes are below 2^31
    // Rounded away from 0, so that the average converges to a constant size.
    wire [47:0] up = difference[47] ? 48'd0 : ~({48{1'b1}} << smooth);
    wire [47:0] rounded = difference + up;
    wire [47:0] part = $signed(rounded) >>> smooth;
    wire no_total = ends && m_axis_total_tvalid && !m_axis_total_tready;
    wire no_size = due && m_axis_size_tvalid && !m_axis_size_tready;

    always @(posedge clk) begin
        groups_reg <= groups;
        word_bytes_reg <= word_bytes;
        move_reg <= {move_reg[0], tvalid && tready} & {2{!rst}};
        last_reg <= {last_reg[0], tlast};
        measure_reg <= {measure_reg[1:0], measure} & {3{!rst}};
        size_valid <= ended && !rst;
        size <= complete;
        if (move_reg[1])
            bytes_reg <= last_reg[1] ? 32'd0 : complete;
        since_reg <= due || begins ? 32'd0 : since_reg + 1'b1;
        if (counted) begin
            cycle_count <= cycle_count + 1'b1;
            if (move_reg[1]) begin
                word_count <= word_count + 1'b1;
                byte_count <= byte_count + {32'd0, word_bytes_reg};
            end
            if (ended) begin
                packet_count <= packet_count + 1'b1;
                some_reg <= 1'b1;
                average_reg <= some_reg ? average_reg + part : scaled;
            end
        end
        if (m_axis_total_tready)
            m_axis_total_tvalid <= 1'b0;
        if (m_axis_size_tready)
            m_axis_size_tvalid <= 1'b0;
        if (ends && !no_total) begin
            m_axis_total_tvalid <= 1'b1;
            m_axis_total_tdata <= {byte_count, packet_count, word_count, cycle_count};
        end
        if (due && !no_size) begin
            m_axis_size_tvalid <= 1'b1;
            m_axis_size_tdata <= {16'd0, average_reg};
        end
        lost <= lost + {31'd0, no_total} + {31'd0, no_size};
        if (rst || begins) begin
            cycle_count <= 64'd0;
            word_count <= 64'd0;
            packet_count <= 64'd0;
            byte_count <= 64'd0;
            average_reg <= 48'd0;
            some_reg <= 1'b0;
        end
        if (rst) begin
            bytes_reg <= 32'd0;
            m_axis_total_tvalid <= 1'b0;
            m_axis_size_tvalid <= 1'b0;
            lost <= 32'd0;
        end
    end
endmodule

`resetall
