package xsim

import (
	"context"
	"fmt"
	"strings"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// Hardware is the synthesizable part of a mapping on one FPGA: its kernels, edges and taps. It does not observe signals
// inside kernels.
type Hardware struct {
	FPGA      FPGA
	Clock     float64 // Hz
	ClockFrom string
	Partition *rtl.Partition
	// Federate contains the kernels, edges and taps of the partition. It has no program.
	Federate *program.Federate
}

// NewHardware builds the part of a mapping on FPGA r, with the taps and monitors of a run with these options. Rings
// replace the run's logs of signals. Streams and signals are named after their edges.
func NewHardware(ctx context.Context, d *design.Design, o program.Options, x Options, r int) (*Hardware, error) {
	d = o.Sized(d)
	fpga, err := NewFPGA(d.Program, r)
	if err != nil {
		return nil, err
	}
	cache := rtl.UserCache(ctx)
	clock, from, err := fpga.Clock(ctx, cache, d, d.Mapping.Place)
	if err != nil {
		return nil, err
	}
	p := &partition{d: d, fpga: fpga, seen: seen{taps: monitors(d, o.Taps), area: x.MonitorArea,
		choice: x.MonitorChoice, traced: o.Taps}, unwatched: x.MonitorArea <= 0, exposed: true, part: make(map[int]int),
		names: identifiers(d.Program.Edges), Federate: &program.Federate{Name: fpga.Name, Period: 1 / clock}}
	hardware, err := p.join(ctx, cache)
	if err != nil {
		return nil, err
	}
	p.ports()
	return &Hardware{fpga, clock, from, hardware, p.Federate}, nil
}

// StreamName returns the name of stream i of an FPGA in the recording of a run (Options.Record).
func StreamName(i int) string { return fmt.Sprintf("e%d", i) }

// maxIdentifier is the maximum length of an identifier formed from an edge's name, without the number that makes it
// unique. The model of a board reads names of up to 63 characters.
const maxIdentifier = 48

// identifiers returns a C and Verilog identifier for the name of each edge: top_e1 for top.e1, top_a_y_to_b_x for the
// unnamed edge top.a.y->b.x. The identifiers are unique even if case is ignored.
func identifiers(edges []xlang.Edge) []string {
	used := make(map[string]bool)
	var out []string
	for i := range edges {
		words := strings.FieldsFunc(strings.ReplaceAll(edges[i].Name, "->", ".to."), func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
		})
		base := strings.Join(words, "_")
		if len(words) < 2 || base[0] <= '9' { // it may be a keyword or no identifier
			base = "edge_" + base
		}
		base = base[:min(len(base), maxIdentifier)]
		id := base
		for n := 2; used[strings.ToLower(id)]; n++ {
			id = fmt.Sprintf("%s_%d", base, n)
		}
		used[strings.ToLower(id)] = true
		out = append(out, id)
	}
	return out
}

// FPGAs returns the FPGAs that have kernels in a mapping.
func FPGAs(d *design.Design) (list []int) {
	used := make(map[int]bool)
	for _, r := range d.Mapping.Place {
		if design.IsFPGA(d.Program, r) && !used[r] {
			used[r] = true
			list = append(list, r)
		}
	}
	return list
}

// Synthesized builds the kernels of a mapping on an FPGA for synthesis. It includes the state monitors that fit into
// the given share of the FPGA; none if it is 0. The note describes the monitors.
func Synthesized(ctx context.Context, d *design.Design, r int, share float64) (_ *rtl.Partition, note string,
	err error) {
	fpga, err := NewFPGA(d.Program, r)
	if err != nil {
		return nil, "", err
	}
	p := &partition{d: d, fpga: fpga, seen: seen{taps: make([]rtl.Monitors, len(d.Program.Edges)), area: share},
		unwatched: share <= 0, exposed: share > 0, part: make(map[int]int),
		Federate: &program.Federate{Name: fpga.Name}}
	hardware, err := p.join(ctx, rtl.UserCache(ctx))
	return hardware, p.reported, err
}
