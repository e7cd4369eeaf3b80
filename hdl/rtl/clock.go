package rtl

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"xopt/flow"
	"xopt/hdl/faults"
	"xopt/internal/cache"
	"xopt/internal/release"
)

// Clock is the maximum clock rate of a module on a device, placed and routed out of context with several seeds.
type Clock struct {
	Hertz []float64 // maximum clock rate with each seed
	// Used and Available count the cells of the device by type.
	Used, Available map[string]int
}

// Device is an FPGA: its family, its area, and its arguments for nextpnr-ice40. The arguments are nil if nextpnr-ice40
// does not support the FPGA.
type Device struct {
	Family string
	Area   flow.Area
	place  []string
}

// Devices returns the supported FPGAs, by name.
func Devices() map[string]Device {
	return map[string]Device{
		"hx8k":     {"ice40hx", flow.Area{7680, 7680, 32, 0}, []string{"--hx8k", "--package", "ct256"}},
		"up5k":     {"ice40", flow.Area{5280, 5280, 30, 8}, []string{"--up5k", "--package", "sg48"}},
		"lfe5u-85": {"ecp5", flow.Area{83640, 83640, 208, 156}, nil},
		"xc7a35t":  {"xc7", flow.Area{20800, 41600, 50, 90}, nil},
	}
}

// Placeable returns the devices on which modules can be placed, and the family of each.
func Placeable() map[string]string {
	families := make(map[string]string)
	for name, d := range Devices() {
		if d.place != nil {
			families[name] = d.Family
		}
	}
	return families
}

// MaxClock places a module on a device with several seeds and returns the maximum clock rates. Shift registers surround
// the module, so that it needs few pins and its paths start and end in registers.
func (c *Cache) MaxClock(ctx context.Context, m *Module, device string, seeds int) (*Clock, error) {
	on := Devices()[device]
	if on.place == nil {
		return nil, faults.DeviceNotPlaceable.Errorf("xopt cannot place designs on device %q: expected hx8k or up5k",
			device)
	}
	what := fmt.Sprintf("placing module %s on %s", m.Top, device)
	if _, err := need("nextpnr-ice40", what); err != nil {
		return nil, err
	}
	wrapped, err := m.outOfContext()
	if err != nil {
		return nil, err
	}
	from, err := c.synthesize(ctx, wrapped, on.Family)
	if err != nil {
		return nil, err
	}
	key := cache.Key("place", c.Version(ctx, "nextpnr-ice40"), device, fmt.Sprint(seeds), wrapped.text())
	dir, err := c.kept.Folder(ctx, key, func(dir string) error {
		for seed := range seeds {
			args := append(slices.Clip(on.place), "--json", filepath.Join(from, "netlist.json"), "--report",
				fmt.Sprintf("report%d.json", seed),
				"--freq", "200", "--seed", fmt.Sprint(seed+1), "--quiet", "--timing-allow-fail")
			if _, err := run(ctx, dir, what, "nextpnr-ice40", args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &Clock{Used: make(map[string]int), Available: make(map[string]int)}
	for seed := range seeds {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("report%d.json", seed)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		var report struct {
			FMax map[string]struct{ Achieved float64 }    `json:"fmax"`
			Used map[string]struct{ Used, Available int } `json:"utilization"`
		}
		if err := json.Unmarshal(text, &report); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		minimum := math.Inf(1)
		for _, f := range report.FMax {
			minimum = min(minimum, 1e6*f.Achieved)
		}
		if math.IsInf(minimum, 1) {
			return nil, faults.NoRegisterPath.Errorf("%s: f_max is unknown, because the design has no path "+
				"between two registers", what)
		}
		out.Hertz = append(out.Hertz, minimum)
		for name, u := range report.Used {
			out.Used[name], out.Available[name] = u.Used, u.Available
		}
	}
	return out, nil
}

// ContextArea returns the area of a module between shift registers, as MaxClock places it. It excludes logic that does
// not affect an output. It subtracts the shift registers: a flip-flop for each input bit, and a flip-flop and a LUT for
// each output bit.
func (c *Cache) ContextArea(ctx context.Context, m *Module, family string) (*Area, error) {
	wrapped, err := m.outOfContext()
	if err != nil {
		return nil, err
	}
	a, err := c.Synthesize(ctx, wrapped, family)
	if err != nil {
		return nil, err
	}
	out := *a
	out.FF -= float64(wrapped.contextIn + wrapped.contextOut)
	out.LUT -= float64(wrapped.contextOut)
	return &out, nil
}

// contextText is the input of out_of_context.v.tmpl.
type contextText struct {
	Version, Top, Parameters string
	InHigh, OutHigh          int // highest bits of the shift registers
	Streams                  []contextStream
	Drains                   bool
	DrainAt                  int
	// For a partition: the bits of the parts' ask inputs, and the positions of commands and records.
	Parts               []int
	Agent               bool
	CommandAt, RecordAt int
}

// contextStream is the position of a stream's bits in the shift registers.
type contextStream struct {
	Name                  string
	Input                 bool
	Width, In, Out, Valid int
}

// outOfContext surrounds a module with shift registers: one pin feeds all inputs, and one pin shifts out all outputs.
func (m *Module) outOfContext() (*Module, error) {
	if m.clocked {
		return nil, fmt.Errorf("placing module %s: %w", m.Top, errClocked)
	}
	in, out := 0, 0
	text := contextText{Version: release.Version, Top: m.Top, Parameters: m.parameters(), Drains: m.Drains}
	for _, s := range m.Streams {
		x := contextStream{Name: s.Name, Input: s.Input, Width: s.Width, In: in, Out: out}
		if s.Input { // data and valid go in, ready comes out
			x.Valid = in + s.Width
			in, out = in+s.Width+1, out+1
		} else {
			x.Valid = out + s.Width
			out, in = out+s.Width+1, in+1
		}
		text.Streams = append(text.Streams, x)
	}
	text.DrainAt = in
	if m.Drains {
		in++
	}
	for i := range m.parts {
		text.Parts = append(text.Parts, i)
	}
	if text.Agent = m.agent; m.agent { // valid and 32 bits go in; valid, last and 32 bits come out
		text.CommandAt, text.RecordAt = in, out
		in, out = in+33, out+34
	}
	text.InHigh, text.OutHigh = max(in-1, 1), max(out-1, 1)
	verilog, err := fill("out_of_context.v.tmpl", text)
	if err != nil {
		return nil, err
	}
	return &Module{Top: "xopt_out_of_context", contextIn: in, contextOut: out,
		verilog: append(append([]file(nil), m.verilog...),
			file{"out_of_context.v", verilog})}, nil
}
