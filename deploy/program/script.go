package program

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"xopt/deploy/abi"
	"xopt/deploy/federate"
)

// script returns the input of the simulation of an FPGA.
func (p *plan) script(i int) *federate.Script {
	f := &p.options.Virtual.Federates[i]
	s := &federate.Script{Run: federate.Run{SharedBytes: p.layout.size,
		Process: p.layout.processes + uint64(i+1)*abi.ProcessBytes, Federate: p.federateAt(i),
		Period: 1e12 * f.Period, Phase: 1e12 * f.Phase, Drain: uint64(math.Ceil(DrainCycles * f.slowest())),
		Rest: uint64(math.Ceil(RestCycles * f.slowest())), Events: p.options.Events, Maximum: p.options.EventsMost}}
	for n, k := range f.Parts {
		x := federate.Part{Control: p.layout.kernel[k], Loop: p.inLoop[k] >= 0,
			Spent: uint64(f.spentAt(n)), Counts: uint64(f.Seen[n].counts())}
		if n < len(f.Periods) {
			x.Clock = 1e12 * f.Periods[n]
		}
		s.Parts = append(s.Parts, x)
	}
	for _, o := range f.Outer {
		e := o.Edge
		s.Outers = append(s.Outers, federate.Outer{Stream: o.Stream, Part: uint64(o.Part), Control: p.layout.control[e],
			Reader: p.layout.reader[e], Writer: p.layout.writer[e], Data: p.layout.data[e], Ring: p.ring[e],
			Capacity: uint64(p.capacity[e]), Element: p.element[e], Initial: uint64(p.program.Edges[e].Initial),
			First: uint64(p.first[e]), Series: uint64(e)})
	}
	for _, x := range f.Inner {
		e := x.Edge
		s.Inners = append(s.Inners, federate.Inner{From: uint64(x.FromPart), To: uint64(x.ToPart),
			Control: p.layout.control[e], Reader: p.layout.reader[e], Writer: p.layout.writer[e], Element: p.element[e],
			PutBytes: uint64(x.PutBytes), GotBytes: uint64(x.GotBytes), Initial: uint64(p.program.Edges[e].Initial),
			Back: p.isBack(e), Series: uint64(e)})
	}
	for _, k := range f.Parts {
		for _, n := range p.points[k] {
			if p.options.Events {
				s.Points = append(s.Points, federate.Point{Series: uint64(len(p.program.Edges) + n),
					Count: p.layout.points + 8*uint64(n)})
			}
		}
	}
	for n := range p.taps {
		switch by, _ := p.sampler(&p.taps[n].Tap); by {
		case byProbe:
			if at := slices.Index(f.Probes, n); at >= 0 {
				s.Probes = append(s.Probes, p.probe(at, &p.taps[n]))
			}
		case byHardware:
			s.Samples = append(s.Samples, p.samples(f, &p.taps[n])...)
		case byBorder:
			s.Borders = append(s.Borders, p.borders(f, n)...)
		}
	}
	return s
}

// probe returns the line of the script for probe number at, which is a tap of the run.
func (p *plan) probe(at int, t *tap) federate.Probe {
	return federate.Probe{Number: uint64(at), Control: t.at, Slots: uint64(t.slots), Bins: uint64(t.bins),
		Log: uint64(t.Trace), Maximum: t.Max, Octaves: t.log, Low: t.low, Width: t.width}
}

// samples returns the lines of the script for a tap of the run: one for each tap in the FPGA that provides its samples.
func (p *plan) samples(f *Federate, t *tap) (list []federate.Sample) {
	for _, x := range f.Taps {
		if !x.answers(t) {
			continue
		}
		s := federate.Sample{Kind: federate.Occupancy, Control: t.at, Slots: uint64(t.slots), Bins: uint64(t.bins),
			First: uint64(x.At), Unit: 1, Histogram: int64(x.Hist)}
		switch t.Kind {
		case Latency:
			s.Kind, s.Unit = federate.Latency, f.Period
		case Gap, Busy:
			s.Kind, s.Unit = federate.Gap, f.Period
		}
		list = append(list, s)
	}
	return list
}

// borders returns the lines of the script for tap n: one for each edge that leaves the FPGA and that the tap samples.
func (p *plan) borders(f *Federate, n int) (list []federate.Border) {
	t := &p.taps[n]
	for o, x := range f.Outer {
		if x.Edge != t.Edges()[0] {
			continue
		}
		b := federate.Border{Kind: federate.Occupancy, Control: t.at, Slots: uint64(t.slots), Bins: uint64(t.bins),
			Log: uint64(t.Trace), Outer: uint64(o), Every: max(t.Every, 1), Octaves: t.log, Low: t.low, Width: t.width}
		if t.Kind == Latency {
			b.Kind = federate.Latency
		}
		for _, h := range p.hops {
			if h.Tap == n {
				b.Queue, b.Marks = h.At, uint64(h.Slots)
			}
		}
		list = append(list, b)
	}
	return list
}

// writeFederates writes the scripts of the FPGAs' simulations next to the program.
func (p *plan) writeFederates(dir string) error {
	if p.options.Virtual == nil {
		return nil
	}
	for i := range p.options.Virtual.Federates {
		script := p.script(i)
		if err := os.WriteFile(filepath.Join(dir, federateFile(i)), []byte(script.Text()), 0o644); err != nil {
			return fmt.Errorf("writing the script of an FPGA: %w", err)
		}
	}
	return nil
}

func federateFile(i int) string { return fmt.Sprintf("fpga%d.txt", i) }
