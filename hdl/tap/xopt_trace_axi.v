`resetall
`default_nettype none

// xopt_trace_axi: writes the records of xopt_trace to a memory over AXI4, in bursts of one record per beat, until the
// memory is full. Then records wait in the ring, and xopt_trace counts the dropped records. One burst is in progress at
// a time. A burst starts when the ring contains all records up to the next multiple of the burst length. With flush, it
// starts when the ring contains any record. Thus no burst crosses a boundary of 4 KiB, if base is at such a boundary.
module xopt_trace_axi #(
    // Width of a record.
    parameter RECORD = 24,
    // Width of a beat: a power of two from 8 to 1024, and at least RECORD.
    parameter DATA_BITS = 32,
    // Width of an address; at least 12.
    parameter ADDR_BITS = 32,
    // The longest burst has 2^LOG_BURST beats; 0 to 8, and at most 4 KiB.
    parameter LOG_BURST = 4,
    // The memory has space for 2^LOG_RECORDS records; LOG_BURST to 30.
    parameter LOG_RECORDS = 16,
    // Width of occupancy; at least LOG_BURST + 1.
    parameter OCCUPANCY = 10
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [ADDR_BITS-1:0]   base, // start address of the memory
    input  wire                   flush, // write all remaining records
    input  wire [OCCUPANCY-1:0]   occupancy, // number of available records, including the record at the stream
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire [RECORD-1:0]      s_axis_tdata,
    output reg                    m_axi_awvalid,
    input  wire                   m_axi_awready,
    output wire [ADDR_BITS-1:0]   m_axi_awaddr,
    output reg  [7:0]             m_axi_awlen,
    output wire [2:0]             m_axi_awsize,
    output wire [1:0]             m_axi_awburst,
    output wire                   m_axi_wvalid,
    input  wire                   m_axi_wready,
    output wire [DATA_BITS-1:0]   m_axi_wdata,
    output wire [DATA_BITS/8-1:0] m_axi_wstrb,
    output wire                   m_axi_wlast,
    input  wire                   m_axi_bvalid,
    output wire                   m_axi_bready,
    input  wire [1:0]             m_axi_bresp,
    output reg  [LOG_RECORDS:0]   written, // number of records whose burst was acknowledged
    output reg                    failed // a burst failed; writing has stopped
);
    localparam LOG_BYTES = $clog2(DATA_BITS / 8);
    localparam BURST = 1 << LOG_BURST;
    initial begin
        if (DATA_BITS < 8 || DATA_BITS > 1024 || (8 << LOG_BYTES) != DATA_BITS || DATA_BITS < RECORD)
            $fatal(1, "%m: DATA_BITS is %0d, want a power of two from 8 to 1024, and at least RECORD, %0d", DATA_BITS,
                RECORD);
        if (ADDR_BITS < 12)
            $fatal(1, "%m: ADDR_BITS is %0d, want at least 12", ADDR_BITS);
        if (LOG_BURST < 0 || LOG_BURST > 8 || LOG_BURST + LOG_BYTES > 12)
            $fatal(1, "%m: LOG_BURST is %0d, want 0 to 8, and bursts of 4 KiB at most", LOG_BURST);
        if (LOG_RECORDS < LOG_BURST || LOG_RECORDS > 30)
            $fatal(1, "%m: LOG_RECORDS is %0d, want LOG_BURST, %0d, to 30", LOG_RECORDS, LOG_BURST);
        if (OCCUPANCY < LOG_BURST + 1)
            $fatal(1, "%m: OCCUPANCY is %0d, want at least LOG_BURST + 1, %0d", OCCUPANCY, LOG_BURST + 1);
    end

    // A burst: its address is sent, its beats are sent, its response arrives.
    reg busy_reg, sending_reg;
    reg [8:0] left_reg; // remaining beats
    reg [8:0] length_reg; // beats of the burst
    wire [31:0] place = {{(31-LOG_RECORDS){1'b0}}, written};
    wire [31:0] to_boundary = BURST - (place & (BURST - 1)); // records up to the boundary
    wire [31:0] there = {{(32-OCCUPANCY){1'b0}}, occupancy};
    wire full = written[LOG_RECORDS];
    wire complete = there >= to_boundary;
    wire [31:0] length = complete ? to_boundary : there;
    wire begins = !busy_reg && !full && !failed && !rst && (complete || (flush && there != 0));
    wire answered = m_axi_bvalid && m_axi_bready;
    wire [ADDR_BITS+31:0] offset = {{ADDR_BITS{1'b0}}, place} << LOG_BYTES;
    wire [DATA_BITS+RECORD-1:0] padded = {{DATA_BITS{1'b0}}, s_axis_tdata};
    wire [31:0] after = place + {23'd0, length_reg};
    assign m_axi_awaddr = base + offset[ADDR_BITS-1:0];
    assign m_axi_awsize = LOG_BYTES[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_wvalid = sending_reg && s_axis_tvalid;
    assign s_axis_tready = sending_reg && m_axi_wready;
    assign m_axi_wdata = padded[DATA_BITS-1:0];
    assign m_axi_wstrb = {(DATA_BITS/8){1'b1}};
    assign m_axi_wlast = left_reg == 1;
    assign m_axi_bready = busy_reg && !sending_reg && !m_axi_awvalid;

    always @(posedge clk) begin
        if (begins) begin
            busy_reg <= 1'b1;
            sending_reg <= 1'b1;
            left_reg <= length[8:0];
            length_reg <= length[8:0];
            m_axi_awlen <= length[7:0] - 1'b1;
            m_axi_awvalid <= 1'b1;
        end
        if (m_axi_awvalid && m_axi_awready)
            m_axi_awvalid <= 1'b0;
        if (m_axi_wvalid && m_axi_wready) begin
            left_reg <= left_reg - 1'b1;
            if (m_axi_wlast)
                sending_reg <= 1'b0;
        end
        if (answered) begin
            busy_reg <= 1'b0;
            if (m_axi_bresp[1])
                failed <= 1'b1;
            else
                written <= after[LOG_RECORDS:0];
        end
        if (rst) begin
            busy_reg <= 1'b0;
            sending_reg <= 1'b0;
            m_axi_awvalid <= 1'b0;
            written <= 0;
            failed <= 1'b0;
        end
    end
    wire unused = &{1'b0, m_axi_bresp[0], length, after, offset, padded};
endmodule

`resetall
