`resetall
`default_nettype none

// xopt_trace: records the changes of a value in a ring buffer in block RAM. The reader empties the ring while it is
// filled (Koehler 2007, §4.2). It only observes, one cycle late.
//
// Recording starts with the first cycle in which trigger is high. A record contains the cycles since the previous
// record, the value, and whether it counts (when). The first record is for the cycle of the trigger, 0 cycles after
// it. Without changes, there is a record whenever the time would overflow.
//
// If the ring is full, a change is dropped and counted. The next stored record is marked, because earlier records are
// missing. It follows as soon as there is space, and its time continues from the last stored record. If all bits of the
// time are 1, the time is a lower bound. Cycles without enable do not count.
module xopt_trace #(
    // Width of the value; at least 1.
    parameter WIDTH = 8,
    // Width of the number of cycles since the previous record; at least 2.
    parameter TIME_BITS = 14,
    // The ring has space for 2^LOG_DEPTH + 1 records; at least 1.
    parameter LOG_DEPTH = 8,
    // Width of a record. Follows from the other parameters: missing, when, cycles, value (in the lowest bits).
    parameter RECORD = 2 + TIME_BITS + WIDTH
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 enable,
    input  wire                 trigger,
    input  wire                 when,
    input  wire [WIDTH-1:0]     value,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire [RECORD-1:0]    m_axis_tdata,
    output wire [LOG_DEPTH+1:0] occupancy, // number of records in the ring
    output reg  [31:0]          dropped // number of dropped changes; saturates
);
    initial begin
        if (WIDTH < 1)
            $fatal(1, "%m: WIDTH is %0d, want at least 1", WIDTH);
        if (TIME_BITS < 2)
            $fatal(1, "%m: TIME_BITS is %0d, want at least 2", TIME_BITS);
        if (LOG_DEPTH < 1)
            $fatal(1, "%m: LOG_DEPTH is %0d, want at least 1", LOG_DEPTH);
        if (RECORD != 2 + TIME_BITS + WIDTH)
            $fatal(1, "%m: RECORD is %0d; do not set it (it follows from the other parameters)", RECORD);
    end

    // The previous cycle.
    reg seen_reg, when_reg;
    reg [WIDTH-1:0] value_reg;
    // The content of the last record, or of the next record if there were space.
    reg running_reg, last_when_reg, missing_reg;
    reg [WIDTH-1:0] last_reg;
    reg [TIME_BITS-1:0] time_reg; // cycles since the last stored record
    wire room;
    wire full_time = &time_reg;
    wire changes = seen_reg && (!running_reg || when_reg != last_when_reg || (when_reg && value_reg != last_reg));
    wire record = changes || (seen_reg && (full_time || missing_reg));
    xopt_fifo #(
        .WIDTH(RECORD),
        .LOG_DEPTH(LOG_DEPTH)
    ) ring (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(record),
        .s_axis_tready(room),
        .s_axis_tdata({missing_reg, when_reg, time_reg, value_reg}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .occupancy(occupancy)
    );

    always @(posedge clk) begin
        seen_reg <= enable && (running_reg || seen_reg || trigger) && !rst;
        when_reg <= when;
        value_reg <= value;
        running_reg <= (running_reg || seen_reg) && !rst;
        if (record) begin
            last_when_reg <= when_reg;
            last_reg <= value_reg;
        end
        if (rst || (!running_reg && !seen_reg))
            time_reg <= 0;
        else if (record && room)
            time_reg <= 1;
        else if (seen_reg && !full_time)
            time_reg <= time_reg + 1'b1;
        if (rst)
            missing_reg <= 1'b0;
        else if (record)
            missing_reg <= !room;
        if (rst)
            dropped <= 0;
        else if (changes && !room && !(&dropped))
            dropped <= dropped + 1'b1;
    end
endmodule

`resetall
