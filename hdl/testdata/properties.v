`resetall
`default_nettype none

// The properties of the stream modules that abc proves for the first cycles. From any inputs, no word is lost,
// duplicated or changed: a freely chosen word that is marked at the input leaves at its position. Data are stable
// while valid waits for ready, and occupancy is the input minus the output. A macro selects the module.
module properties (
    input wire clk,
    input wire s_valid,
    input wire [7:0] s_data,
    input wire m_ready,
    input wire [5:0] marked // which narrow word is watched
);
`ifdef UPSIZER
    localparam IN = 4, OUT = 8, GROUP = 2, SPLIT = 1;
`elsif DOWNSIZER
    localparam IN = 8, OUT = 4, GROUP = 1, SPLIT = 2;
`else
    localparam IN = 4, OUT = 4, GROUP = 1, SPLIT = 1;
`endif
    reg rst = 1;
    always @(posedge clk) rst <= 0;
    wire s_ready, m_valid;
    wire [OUT-1:0] m_data;
    reg [5:0] chosen; // the same throughout
    reg started = 0;
    always @(posedge clk) begin
        started <= 1;
        if (!started)
            chosen <= marked;
    end
`ifdef UPSIZER
    xopt_upsizer #(.WIDTH(4), .RATIO(2), .LOG_RATIO(1)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data[IN-1:0]), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data));
`elsif DOWNSIZER
    xopt_downsizer #(.WIDTH(4), .RATIO(2), .LOG_RATIO(2)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data[IN-1:0]), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data));
`else
    wire [2:0] occupancy;
    xopt_fifo #(.WIDTH(4), .LOG_DEPTH(1)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data[IN-1:0]), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .occupancy(occupancy));
`endif
    // Narrow words that went in and came out, and the marked one.
    reg [7:0] sent, taken;
    reg [3:0] word;
    reg known;
    integer i;
    reg held;
    reg [OUT-1:0] held_data;
    reg held_in;
    reg [IN-1:0] held_in_data;
    always @(posedge clk) begin
        if (rst) begin
            sent <= 0;
            taken <= 0;
            known <= 0;
            held <= 0;
            held_in <= 0;
        end else begin
            held <= m_valid && !m_ready;
            held_data <= m_data;
            held_in <= s_valid && !s_ready;
            held_in_data <= s_data[IN-1:0];
            if (s_valid && s_ready) begin
                sent <= sent + SPLIT;
                for (i = 0; i < SPLIT; i = i + 1)
                    if (sent + i == {2'd0, chosen}) begin
                        word <= s_data[4*i +: 4];
                        known <= 1;
                    end
            end
            if (m_valid && m_ready)
                taken <= taken + GROUP;
        end
    end
    always @(posedge clk) if (!rst) begin
        assume (!held_in || (s_valid && s_data[IN-1:0] == held_in_data)); // who sends keeps to it too
        assume (sent < 60);
        assert (!held || (m_valid && m_data == held_data));
        assert (taken <= sent);
        assert (sent - taken <= 8);
        if (m_valid) begin
            for (i = 0; i < GROUP; i = i + 1)
                if (taken + i == {2'd0, chosen}) begin
                    assert (known);
                    assert (m_data[4*i +: 4] == word);
                end
            assert (taken + GROUP <= sent);
        end
`ifdef FIFO
        assert (occupancy == sent - taken);
        assert (occupancy <= 3);
`endif
    end
endmodule

`resetall
