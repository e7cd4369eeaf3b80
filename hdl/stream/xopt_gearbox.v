`resetall
`default_nettype none

// xopt_gearbox: converts words of FROM units to words of TO units, where neither number divides the other. The first
// units are in the lowest bits. In every cycle, the units of one word of the narrower width can move.
module xopt_gearbox #(
    // Width of a unit; at least 1.
    parameter WIDTH = 8,
    // Units per input word; at least 1.
    parameter FROM = 3,
    // Units per output word; at least 1.
    parameter TO = 4,
    // Width of a count of units: 2^LOG is more than FROM + 2 TO.
    parameter LOG = 4
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire [WIDTH*FROM-1:0] s_axis_tdata,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire [WIDTH*TO-1:0]   m_axis_tdata
);
    localparam ROOM = FROM + 2 * TO; // units: space for an input word while an output word leaves
    localparam [LOG-1:0] IN = FROM, OUT = TO, FULL = 2 * TO;
    initial begin
        if (WIDTH < 1 || FROM < 1 || TO < 1)
            $fatal(1, "%m: WIDTH, FROM and TO are %0d, %0d and %0d, want at least 1", WIDTH, FROM, TO);
        if ((1 << LOG) <= ROOM)
            $fatal(1, "%m: LOG is %0d, want 2^LOG > FROM + 2 TO = %0d", LOG, ROOM);
    end

    reg [WIDTH*ROOM-1:0] data_reg;
    reg [LOG-1:0] count_reg; // units in data_reg
    wire accept = s_axis_tvalid && s_axis_tready, send = m_axis_tvalid && m_axis_tready;
    assign s_axis_tready = count_reg <= FULL;
    assign m_axis_tvalid = count_reg >= OUT;
    assign m_axis_tdata = data_reg[WIDTH*TO-1:0];

    // The units that remain after an output word, followed by the input word.
    wire [LOG-1:0] left = send ? count_reg - OUT : count_reg;
    wire [WIDTH*ROOM-1:0] left_data = send ? data_reg >> (WIDTH * TO) : data_reg;
    wire [WIDTH*ROOM-1:0] left_mask = ~({(WIDTH*ROOM){1'b1}} << (WIDTH * left));
    wire [WIDTH*ROOM-1:0] new_data = {{(WIDTH*2*TO){1'b0}}, s_axis_tdata} << (WIDTH * left);
    always @(posedge clk) begin
        data_reg <= accept ? (left_data & left_mask) | new_data : left_data;
        count_reg <= rst ? {LOG{1'b0}} : accept ? left + IN : left;
    end
endmodule

`resetall
