`resetall
`default_nettype none

// Round: computes one of the 16 rounds (FIPS 46-3, function f): L' = R, R' = L ^ f(R, K), like round.c. The key arrives
// once. Then a block arrives in every cycle.
module des_round (
    input  wire        clk,
    input  wire        rst,
    input  wire [63:0] s_axis_x_tdata,
    input  wire        s_axis_x_tvalid,
    output wire        s_axis_x_tready,
    input  wire [63:0] s_axis_k_tdata, // 48 bits are used
    input  wire        s_axis_k_tvalid,
    output wire        s_axis_k_tready,
    output reg  [63:0] m_axis_y_tdata,
    output reg         m_axis_y_tvalid,
    input  wire        m_axis_y_tready
);
    // Bits are counted from 1, the highest first.
    localparam [48*6-1:0] EXPAND = {
        6'd32, 6'd1, 6'd2, 6'd3, 6'd4, 6'd5, 6'd4, 6'd5, 6'd6, 6'd7, 6'd8, 6'd9, 6'd8, 6'd9, 6'd10, 6'd11,
        6'd12, 6'd13, 6'd12, 6'd13, 6'd14, 6'd15, 6'd16, 6'd17, 6'd16, 6'd17, 6'd18, 6'd19, 6'd20, 6'd21, 6'd20, 6'd21,
        6'd22, 6'd23, 6'd24, 6'd25, 6'd24, 6'd25, 6'd26, 6'd27, 6'd28, 6'd29, 6'd28, 6'd29, 6'd30, 6'd31, 6'd32, 6'd1};
    localparam [32*6-1:0] MIX = {
        6'd16, 6'd7, 6'd20, 6'd21, 6'd29, 6'd12, 6'd28, 6'd17, 6'd1, 6'd15, 6'd23, 6'd26, 6'd5, 6'd18, 6'd31, 6'd10,
        6'd2, 6'd8, 6'd24, 6'd14, 6'd32, 6'd27, 6'd3, 6'd9, 6'd19, 6'd13, 6'd30, 6'd6, 6'd22, 6'd11, 6'd4, 6'd25};
    // Rows of 16 digits, one row after the other. The first digit is in the highest bits.
    localparam [8*256-1:0] CHOOSE = {
        256'he4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d,
        256'hf18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9,
        256'ha09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c,
        256'h7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e,
        256'h2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453,
        256'hc1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d,
        256'h4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c,
        256'hd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b};

    reg        loaded;
    reg [47:0] key;
    wire [31:0] left = s_axis_x_tdata[63:32], right = s_axis_x_tdata[31:0];
    wire [47:0] wide;
    wire [31:0] chosen, mixed;
    genvar i;
    generate
        for (i = 0; i < 48; i = i + 1) begin : expand
            assign wide[47-i] = right[32-EXPAND[6*(47-i) +: 6]] ^ key[47-i];
        end
        for (i = 0; i < 8; i = i + 1) begin : boxes
            wire [5:0] six = wide[42-6*i +: 6];
            wire [5:0] at = {six[5], six[0], six[4:1]};
            localparam [255:0] BOX = CHOOSE[256*(7-i) +: 256];
            assign chosen[28-4*i +: 4] = BOX[4*(63-at) +: 4];
        end
        for (i = 0; i < 32; i = i + 1) begin : mix
            assign mixed[31-i] = chosen[32-MIX[6*(31-i) +: 6]];
        end
    endgenerate

    wire free = !m_axis_y_tvalid || m_axis_y_tready;
    assign s_axis_x_tready = loaded && free;
    assign s_axis_k_tready = !loaded;
    always @(posedge clk) begin
        if (free)
            m_axis_y_tdata <= {right, left ^ mixed};
        if (s_axis_k_tvalid && !loaded)
            key <= s_axis_k_tdata[47:0];
        if (rst) begin
            loaded <= 1'b0;
            m_axis_y_tvalid <= 1'b0;
        end else begin
            if (s_axis_k_tvalid)
                loaded <= 1'b1;
            if (free)
                m_axis_y_tvalid <= s_axis_x_tvalid && loaded;
        end
    end
    wire unused = &{1'b0, s_axis_k_tdata[63:48]};
endmodule

`resetall
