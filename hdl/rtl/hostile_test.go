package rtl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// kernelWith is a kernel with room for additional text.
const kernelWith = `module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata,
    input wire s_axis_x_tvalid, output wire s_axis_x_tready);
    assign s_axis_x_tready = 1'b1;
%s
endmodule
`

// hostileSource is a source and the expected error: "" for none, k for any error of the tool.
type hostileSource struct{ text, want string }

// hostile returns sources that try to write a file mark or to show the contents of secret. valid is a Verilog file.
func hostile(mark, secret, valid string) map[string]hostileSource {
	return map[string]hostileSource{
		"system": {fmt.Sprintf(`initial $system("touch %s");`, mark), ""},
		"fopen":  {fmt.Sprintf("integer f; initial f = $fopen(\"%s\", \"w\");", mark), ""},
		"include": {fmt.Sprintf("`include \"%s\"\n", secret), "k.sv:4: the source includes " + secret +
			", but a kernel's sources are only the files in its attributes src and with"},
		"macro": {"`define FILE \"secret\"\n  `include `FILE\n", "k.sv:5: the source includes `FILE"},
		"string before": {fmt.Sprintf("initial $display(\"a\"); `include \"%s\"", secret), "k.sv:4: the source " +
			"includes " + secret},
		"pasted":       {fmt.Sprintf("`define I(x) `in``x\n`I(clude) \"%s\"", secret), "k"},
		"pasted macro": {fmt.Sprintf("`define F \"%s\"\n`define I `in``clude `F\n`I", secret), "k"},
		"pasted valid": {fmt.Sprintf("`define I(x) `in``x\n`I(clude) \"%s\"", valid), "k"},
		"in a string":  {"initial $display(\"`include\");", ""},
		"line":         {fmt.Sprintf("`line 7 \"%s\" 0\nwire w;", secret), ""},
		"wrong line":   {fmt.Sprintf("`line 7 \"%s\" 0\nwire wire;", secret), "k"},
		"package": {fmt.Sprintf("endmodule package p; int x = $system(\"touch %s\"); endpackage module m;",
			mark), "k"},
		"constant": {fmt.Sprintf("function automatic int f(int n); $system(\"touch %s\"); return n; endfunction\n"+
			"localparam int P = f(3); wire [P-1:0] w;", mark), "k"},
		"bind": {fmt.Sprintf("endmodule\nmodule evil(input wire clk); initial $system(\"touch %s\"); endmodule\n"+
			"bind k evil e(.clk(clk));\nmodule m;", mark), "k"},
		"DPI": {fmt.Sprintf("import \"DPI-C\" context function int system(input string s);\n"+
			"initial void'(system(\"touch %s\"));", mark), "k"},
		"constant DPI": {fmt.Sprintf("import \"DPI-C\" pure function int system(input string s);\n"+
			"localparam int P = system(\"touch %s\"); wire [P:0] w;", mark), "k"},
		"readmemh": {fmt.Sprintf("reg [7:0] memory [0:63]; initial $readmemh(\"%s\", memory);", secret), ""},
		"writemem": {fmt.Sprintf("reg [7:0] memory [0:63]; initial $writememh(\"%s\", memory);", mark), ""},
		"dump":     {fmt.Sprintf("initial begin $dumpfile(\"%s\"); $dumpvars; end", mark), ""},
		"C":        {fmt.Sprintf("initial $c(\"system(\\\"touch %s\\\");\");", mark), "k"},
		"header":   {fmt.Sprintf("`systemc_header\n#include \"%s\"\n`verilog", secret), "k"},
		"loops": {"genvar i, j, l; generate for (i = 0; i < 4000; i = i + 1) begin : g for (j = 0; j < 4000; " +
			"j = j + 1) begin : h for (l = 0; l < 4000; l = l + 1) begin : o wire w; end end end endgenerate", "k"},
		"recursion": {"endmodule module r #(parameter N = 0) (); r #(N + 1) deeper (); endmodule module m; r top ();",
			"k"},
		"comment": {"// `include \"beside.vh\"\n/* `include \"other.vh\" */", ""},
		"endless": {"genvar i; generate for (i = 0; i >= 0; i = i + 1) begin : g wire w; end endgenerate", "k"},
		"wide":    {"wire [2147483000:0] w; assign w = {2147483001{clk}};", "k"},
	}
}

// TestHostile checks that reading a source, and searching its state machines, executes nothing, reads no other file,
// and ends.
func TestHostile(t *testing.T) {
	testkit.Tools(t, "verilator")
	dir := t.TempDir()
	mark, secret := filepath.Join(dir, "mark"), filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("nobody's business"), 0o644); err != nil {
		t.Fatal(err)
	}
	valid := filepath.Join(dir, "valid")
	if err := os.WriteFile(valid, []byte("wire from_elsewhere;"), 0o644); err != nil {
		t.Fatal(err)
	}
	usual, quick := rtl.UserCache(t.Context()), rtl.UserCache(t.Context())
	quick.SetLook(5 * time.Second)
	for name, c := range hostile(mark, secret, valid) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cache := usual
			if slices.Contains([]string{"wide", "endless", "loops", "recursion"}, name) {
				testkit.Long(t, "it may take the tool as long as it may take")
				cache = quick
			}
			source := rtl.Source{Files: []string{write(t, "k.sv", fmt.Sprintf(kernelWith, c.text))}, Top: "k"}
			start := testkit.ChildTime(t)
			m, err := cache.Open(context.Background(), source)
			if err == nil {
				_, err = cache.Machines(context.Background(), m)
			}
			if strings.HasPrefix(name, "pasted") && (err == nil || !strings.Contains(err.Error(), "through a macro")) {
				t.Errorf("got %v, want that a macro includes a file", err)
			}
			switch {
			case c.want == "" && err != nil, c.want != "" && c.want != "k" && (err == nil ||
				!strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			case err != nil && strings.Contains(err.Error(), "nobody's business"):
				t.Errorf("what lies in another file is told: %v", err)
			}
			if used := testkit.ChildTime(t) - start; used > 3*time.Minute {
				t.Errorf("its tools used %v of processor time", used)
			}
		})
	}
	t.Cleanup(func() {
		if _, err := os.Stat(mark); err == nil {
			t.Error("something of a source was run")
		}
	})
}
