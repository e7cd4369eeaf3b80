package rtl

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/hdl/faults"
	"xopt/internal/cache"
)

// Area contains the FPGA resources of a module that was synthesized out of context.
type Area struct {
	LUT, FF, BRAM, DSP float64
}

// Families returns the FPGA families for which modules can be synthesized.
func Families() []string { return []string{"ice40", "xc7", "xcup", "ecp5"} }

// synthesis returns the yosys command for a family.
func synthesis(family string) (string, error) {
	switch family {
	case "ice40":
		return "synth_ice40 -dsp", nil
	case "ice40hx": // HX and LP have no multipliers
		return "synth_ice40", nil
	case "xc7":
		return "synth_xilinx -flatten -family xc7 -noiopad", nil
	case "xcup":
		return "synth_xilinx -flatten -family xcup -noiopad", nil
	case "ecp5":
		return "synth_ecp5", nil
	}
	return "", faults.FamilyNotSynthesizable.Errorf("xopt cannot synthesize for family %q: expected %s",
		family, strings.Join(Families(), ", "))
}

// BlockBits returns the size in bits of a block RAM of a family, or 0 for an unknown family.
func BlockBits(family string) int {
	switch family {
	case "ice40", "ice40hx":
		return 4 << 10
	case "xc7", "xcup":
		return 36 << 10
	case "ecp5":
		return 18 << 10
	}
	return 0
}

// Synthesize synthesizes a module for a family with yosys and returns its area.
func (c *Cache) Synthesize(ctx context.Context, m *Module, family string) (*Area, error) {
	dir, err := c.synthesize(ctx, m, family)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "stat.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the area of module %s: %w", m.Top, err)
	}
	var stat struct {
		Design struct {
			Cells map[string]int `json:"num_cells_by_type"`
		} `json:"design"`
	}
	if err := json.Unmarshal(text, &stat); err != nil {
		return nil, fmt.Errorf("reading the area of module %s: %w", m.Top, err)
	}
	return count(stat.Design.Cells), nil
}

// ModuleOf returns a module from sources, for synthesis only. Its streams are unknown.
func ModuleOf(top string, sources []SourceText) *Module {
	m := &Module{Top: top}
	for _, s := range sources {
		m.verilog = append(m.verilog, file{s.Name, s.Text})
	}
	return m
}

// yosys reads the module in Yosys and then runs a Yosys script, in a folder. An instance sets the module's parameters,
// because -chparam does not accept negative numbers. what describes the work in errors.
func (m *Module) yosys(ctx context.Context, dir, what, script string) error {
	names, err := writeFiles(dir, m.verilog)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "read_verilog -sv -nolatches %s\n", n)
	}
	if len(m.given) > 0 {
		fmt.Fprintf(&b, "read_verilog -sv <<XOPT_END\nmodule xopt_instance; %s #(%s) i(); endmodule\nXOPT_END\n"+
			"hierarchy -check -top xopt_instance\ndelete xopt_instance\nhierarchy -auto-top\nrename -top %[1]s\n",
			m.Top, m.parameters())
	}
	fmt.Fprintf(&b, "hierarchy -check -top %s\n%s", m.Top, script)
	if err := os.WriteFile(filepath.Join(dir, "script.ys"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	_, err = run(ctx, dir, what, "yosys", "-q", "-s", "script.ys")
	return m.named(err)
}

func (c *Cache) synthesize(ctx context.Context, m *Module, family string) (string, error) {
	command, err := synthesis(family)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("synthesizing module %s for %s", m.Top, family)
	if _, err := need("yosys", what); err != nil {
		return "", err
	}
	key := cache.Key("synthesize", c.Version(ctx, "yosys"), command, m.text())
	return c.kept.Folder(ctx, key, func(dir string) error {
		return m.yosys(ctx, dir, what, fmt.Sprintf("%s -top %s\nwrite_json netlist.json\n"+
			"tee -q -o stat.json stat -json\n", command, m.Top))
	})
}

// count sums the cells of all families by kind of area. Carry chains count as LUTs, because carry chains occupy the
// place of LUTs. LUTs that are used as shift registers or memories also count as LUTs.
func count(cells map[string]int) *Area {
	a := new(Area)
	for name, n := range cells {
		switch x := float64(n); {
		case name == "SB_LUT4" || name == "LUT4" || name == "INV":
			a.LUT += x
		case strings.HasPrefix(name, "LUT") || strings.HasPrefix(name, "SRL"):
			a.LUT += x
		case name == "CCU2C" || name == "RAM32X1D" || name == "RAM64X1D" || name == "TRELLIS_DPR16X4":
			a.LUT += 2 * x
		case name == "RAM128X1D" || strings.HasPrefix(name, "RAM32M") || strings.HasPrefix(name, "RAM64M"):
			a.LUT += 4 * x
		case name == "RAM256X1D":
			a.LUT += 8 * x
		case strings.HasPrefix(name, "SB_DFF") || slices.Contains([]string{"FDRE", "FDSE", "FDCE", "FDPE", "FDRE_1",
			"FDSE_1", "FDCE_1", "FDPE_1", "TRELLIS_FF"}, name):
			a.FF += x
		case strings.HasPrefix(name, "RAMB18"):
			a.BRAM += x / 2 // units of 36 kbit
		case strings.HasPrefix(name, "RAMB36") || strings.HasPrefix(name, "SB_RAM40") || name == "DP16KD" ||
			strings.HasPrefix(name, "URAM"):
			a.BRAM += x
		case strings.HasPrefix(name, "DSP48") || name == "SB_MAC16" || name == "MULT18X18D" || name == "ALU54B":
			a.DSP += x
		}
	}
	return a
}
