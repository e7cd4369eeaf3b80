`resetall
`default_nettype none

// xopt_axil: converts AXI4-Lite to single-cycle accesses that write or read a word. An access appears one cycle
// after its handshake, and the read data are sampled in that cycle. Only complete 32-bit words are written; other
// accesses are rejected (SLVERR).
module xopt_axil #(
    // Width of a byte address; 3 to 32.
    parameter ADDRESS = 16
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [ADDRESS-1:0] s_axi_awaddr,
    input  wire               s_axi_awvalid,
    output wire               s_axi_awready,
    input  wire [31:0]        s_axi_wdata,
    input  wire [3:0]         s_axi_wstrb,
    input  wire               s_axi_wvalid,
    output wire               s_axi_wready,
    output wire [1:0]         s_axi_bresp,
    output reg                s_axi_bvalid,
    input  wire               s_axi_bready,
    input  wire [ADDRESS-1:0] s_axi_araddr,
    input  wire               s_axi_arvalid,
    output wire               s_axi_arready,
    output reg  [31:0]        s_axi_rdata,
    output wire [1:0]         s_axi_rresp,
    output reg                s_axi_rvalid,
    input  wire               s_axi_rready,
    output reg                write,
    output reg  [ADDRESS-3:0] write_word, // its word address
    output reg  [31:0]        write_data,
    output reg                read,
    output reg  [ADDRESS-3:0] read_word,
    input  wire [31:0]        read_data
);
    initial begin
        if (ADDRESS < 3 || ADDRESS > 32)
            $fatal(1, "%m: ADDRESS is %0d, want 3 to 32", ADDRESS);
    end

    reg refused_reg;
    wire accept = s_axi_awvalid && s_axi_wvalid && !s_axi_bvalid && !rst;
    assign s_axi_awready = accept;
    assign s_axi_wready = accept;
    assign s_axi_bresp = {refused_reg, 1'b0};
    always @(posedge clk) begin
        write <= accept && &s_axi_wstrb;
        write_word <= s_axi_awaddr[ADDRESS-1:2];
        write_data <= s_axi_wdata;
        if (accept)
            refused_reg <= !(&s_axi_wstrb);
        s_axi_bvalid <= !rst && (accept || (s_axi_bvalid && !s_axi_bready));
    end

    assign s_axi_rresp = 2'b00;
    assign s_axi_arready = !read && !s_axi_rvalid && !rst;
    always @(posedge clk) begin
        read <= s_axi_arvalid && s_axi_arready;
        read_word <= s_axi_araddr[ADDRESS-1:2];
        if (read)
            s_axi_rdata <= read_data;
        s_axi_rvalid <= !rst && (read || (s_axi_rvalid && !s_axi_rready));
    end
    wire unused = &{1'b0, s_axi_awaddr[1:0], s_axi_araddr[1:0]};
endmodule

`resetall
