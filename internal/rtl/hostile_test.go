package rtl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/internal/rtl"
	"xopt/internal/testkit"
)

// kernelWith is a kernel with some more in it.
const kernelWith = `module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata,
    input wire s_axis_x_tvalid, output wire s_axis_x_tready);
    assign s_axis_x_tready = 1'b1;
%s
endmodule
`

// TestHostile: reading a source, and looking for its state machines, runs nothing of it, reads no other file, and ends.
func TestHostile(t *testing.T) {
	testkit.Tools(t, "verilator")
	dir := t.TempDir()
	mark, secret := filepath.Join(dir, "mark"), filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("nobody's business"), 0o644); err != nil {
		t.Fatal(err)
	}
	cache := rtl.UserCache(t.Context())
	for name, c := range map[string]struct{ text, want string }{
		"system": {fmt.Sprintf(`initial $system("touch %s");`, mark), ""},
		"fopen":  {fmt.Sprintf("integer f; initial f = $fopen(\"%s\", \"w\");", mark), ""},
		"include": {fmt.Sprintf("`include \"%s\"\n", secret), "k.v:4: the source includes " + secret +
			": a kernel's sources are the files that src and with name"},
		"macro":   {"`define FILE \"secret\"\n  `include `FILE\n", "k.v:5: the source includes `FILE"},
		"comment": {"// `include \"beside.vh\"\n/* `include \"other.vh\" */", ""},
		"endless": {"genvar i; generate for (i = 0; i >= 0; i = i + 1) begin : g wire w; end endgenerate", "k"},
		"wide":    {"wire [2147483000:0] w; assign w = {2147483001{clk}};", "k"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "wide" || name == "endless" {
				testkit.Long(t, "it may take the tool as long as it may take")
			}
			source := rtl.Source{Files: []string{write(t, "k.v", fmt.Sprintf(kernelWith, c.text))}, Top: "k"}
			begin := time.Now()
			m, err := cache.Open(context.Background(), source)
			if err == nil {
				_, err = cache.Machines(context.Background(), m)
			}
			switch {
			case c.want == "" && err != nil, c.want != "" && c.want != "k" && (err == nil ||
				!strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			case err != nil && strings.Contains(err.Error(), "nobody's business"):
				t.Errorf("what lies in another file is told: %v", err)
			}
			if took := time.Since(begin); took > 3*time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
	t.Cleanup(func() {
		if _, err := os.Stat(mark); err == nil {
			t.Error("something of a source was run")
		}
	})
}
