package rtl_test

import (
	"testing"

	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// TestNegativeParameter checks that the area of a module follows from the value of a parameter without a type, also if
// it is negative: the module then has its wide register.
func TestNegativeParameter(t *testing.T) {
	t.Parallel()
	testkit.Tools(t, "yosys", "verilator")
	const text = `module lag #(parameter LAG = 0) (input clk, input rst,
    input [31:0] s_axis_x_tdata, input s_axis_x_tvalid, output s_axis_x_tready,
    output reg [31:0] m_axis_y_tdata, output reg m_axis_y_tvalid, input m_axis_y_tready);
    assign s_axis_x_tready = m_axis_y_tready || !m_axis_y_tvalid;
    always @(posedge clk) begin
        if (rst) m_axis_y_tvalid <= 0;
        else if (s_axis_x_tready) m_axis_y_tvalid <= s_axis_x_tvalid;
        if (LAG < 0) m_axis_y_tdata <= s_axis_x_tready ? s_axis_x_tdata + 32'd1 : m_axis_y_tdata;
        else m_axis_y_tdata <= 32'd0;
    end
endmodule
`
	cache := rtl.UserCache(t.Context())
	area := func(lag string) float64 {
		m, err := cache.Open(t.Context(), rtl.Source{Top: "lag", Files: []string{write(t, "lag.v", text)},
			Parameters: []rtl.Parameter{{Name: "LAG", Value: lag}}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := cache.Synthesize(t.Context(), m, "ice40")
		if err != nil {
			t.Fatal(err)
		}
		return a.FF
	}
	if negative, positive := area("-1"), area("1"); negative < positive+32 {
		t.Errorf("%g flip-flops for LAG = -1 and %g for 1, want 32 more", negative, positive)
	}
}

// TestPortTypes: the width of a port is the number of its bits, also if its type has a name, or its bits are numbered
// upward.
func TestPortTypes(t *testing.T) {
	t.Parallel()
	testkit.Tools(t, "verilator")
	const text = `module typed (input clk, input rst,
    input [0:15] s_axis_x_tdata, input s_axis_x_tvalid, output s_axis_x_tready,
    output word::halfword m_axis_y_tdata, output m_axis_y_tvalid, input m_axis_y_tready);
    assign m_axis_y_tdata = s_axis_x_tdata;
    assign m_axis_y_tvalid = s_axis_x_tvalid;
    assign s_axis_x_tready = m_axis_y_tready;
endmodule
`
	source := "package word;\n    typedef logic [15:0] halfword;\nendpackage\n" + text
	m, err := rtl.UserCache(t.Context()).Open(t.Context(), rtl.Source{Top: "typed",
		Files: []string{write(t, "typed.sv", source)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Streams) != 2 || m.Streams[0].Width != 16 || m.Streams[1].Width != 16 {
		t.Errorf("streams %v, want two of 16 bits", m.Streams)
	}
}
