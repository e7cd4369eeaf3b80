// xopt_gearbox: words of FROM units of a stream become words of TO of another, where neither
// divides the other; what comes first is in the lowest bits. As many units move in a cycle
// as the narrower words have.
module xopt_gearbox #(
    parameter WIDTH = 8, // of a unit, bits
    parameter FROM = 3,
    parameter TO = 4,
    parameter LOG = 4 // 2^LOG is more than FROM + 2 TO
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  s_valid,
    output wire                  s_ready,
    input  wire [WIDTH*FROM-1:0] s_data,
    output wire                  m_valid,
    input  wire                  m_ready,
    output wire [WIDTH*TO-1:0]   m_data
);
    localparam ROOM = FROM + 2 * TO; // so much that a word fits in whatever leaves
    localparam [LOG-1:0] IN = FROM, OUT = TO, FULL = 2 * TO;
    reg [WIDTH*ROOM-1:0] held;
    reg [LOG-1:0] count; // units
    wire take = s_valid && s_ready, give = m_valid && m_ready;
    assign s_ready = count <= FULL;
    assign m_valid = count >= OUT;
    assign m_data = held[WIDTH*TO-1:0];
    wire [LOG-1:0] left = give ? count - OUT : count;
    wire [WIDTH*ROOM-1:0] rest = give ? held >> (WIDTH * TO) : held;
    wire [WIDTH*ROOM-1:0] moved = {{(WIDTH*2*TO){1'b0}}, s_data} << (WIDTH * left);
    wire [WIDTH*ROOM-1:0] kept = ~({(WIDTH*ROOM){1'b1}} << (WIDTH * left));
    always @(posedge clk) begin
        held <= take ? (rest & kept) | moved : rest;
        count <= rst ? {LOG{1'b0}} : take ? left + IN : left;
    end
endmodule
