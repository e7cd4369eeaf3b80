package rtl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// entityWith is a kernel in VHDL with room for declarations.
const entityWith = `library ieee; use ieee.std_logic_1164.all; use std.textio.all;
entity k is port (clk, rst : in std_logic; s_axis_x_tdata : in std_logic_vector(7 downto 0);
    s_axis_x_tvalid : in std_logic; s_axis_x_tready : out std_logic); end;
architecture a of k is
%s
begin
    s_axis_x_tready <= '1';
end;
`

// TestHostileVHDL checks that reading a VHDL source opens no file and ends. Words in comments and strings do not count
// as files.
func TestHostileVHDL(t *testing.T) {
	testkit.Tools(t, "ghdl", "verilator")
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	for name, c := range map[string]struct{ text, want string }{
		"file": {fmt.Sprintf("impure function f return integer is\nFile h : text open write_mode is %q;\n"+
			"begin return 3; end;\nconstant c : integer := f;", mark), "k.vhd:6: the source declares files"},
		"words": {"-- a file\n/* file */ constant c : string := \"file\"; constant d : character := '\"';\n" +
			"signal \\file\\, profile : bit;", ""},
		"endless": {"function f return integer is variable n : integer := 0;\nbegin while n < 3 loop n := 1; end " +
			"loop; return n; end;\nconstant c : integer := f;\nsignal s : integer range 0 to 7 := c;", "k"},
	} {
		t.Run(name, func(t *testing.T) {
			cache := UserCache(t.Context())
			if name == "endless" {
				testkit.Long(t, "it takes as long as a tool may take")
				cache.SetLook(5 * time.Second)
			}
			path := filepath.Join(t.TempDir(), "k.vhd")
			if err := os.WriteFile(path, []byte(fmt.Sprintf(entityWith, c.text)), 0o644); err != nil {
				t.Fatal(err)
			}
			start := testkit.ChildTime(t)
			_, err := cache.Open(t.Context(), Source{Files: []string{path}, Top: "k"})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if used := testkit.ChildTime(t) - start; used > time.Minute {
				t.Errorf("its tools used %v of processor time", used)
			}
		})
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a file was opened")
	}
}
