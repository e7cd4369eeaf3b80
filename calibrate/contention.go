package calibrate

import (
	"context"
	"fmt"
	"time"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// Kernels on different cores slow each other down through shared memory and caches. xopt measures each kernel beside a
// pressure program, which alternates between several levels of load on memory and no load. It also measures the
// slowdown of a probe beside the kernel. This slowdown determines the kernel's own load level (Mars et al., Bubble-Up,
// MICRO 2011).

const (
	// The minimum and maximum number of runs for each kernel.
	minPressedRuns   = 2
	maxPressedRuns   = 6
	enoughMoments    = 10
	contentionCycles = 3                     // cycles of all turns in a run
	turnTime         = 30 * time.Millisecond // PACE_TURN in pressure/pace.h
	pacedTurns       = 10                    // length of pace_turns in pressure/pace.h
	contentionFrame  = 10 * time.Millisecond
	// contentionTime is the approximate time for building and measuring one kernel.
	contentionTime = 4 * time.Second
)

// contend measures the memory contention of every kernel without contention figures, until the deadline.
func (s *Session) contend(ctx context.Context) error {
	if !s.options.Contention || !s.crossing || s.clock.isOver() || ctx.Err() != nil {
		return nil
	}
	first := s.lacksContention()
	if first < 0 {
		return nil
	}
	cpus := program.UsableProcessors(2)
	if len(cpus) < 2 {
		return nil
	}
	s.memory = sharedMemory([2]int{cpus[0], cpus[1]})
	late, err := s.clock.inTime(ctx, func(ctx context.Context) error { return s.probe(ctx, first) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case late:
		s.memory = nil
		return nil
	case err != nil:
		s.memory.Unmeasured = err.Error()
	}
	if s.memory.Unmeasured != "" {
		s.report.Notes = append(s.report.Notes, faults.ContentionNotMeasured.Notef("memory contention between "+
			"kernels on different cores was not measured: %s", s.memory.Unmeasured))
		return nil
	}
	for k := s.lacksContention(); k >= 0 && !s.clock.isOver(); k = s.lacksContention() {
		var c *profile.Contention
		late, err := s.clock.inTime(ctx, func(ctx context.Context) (err error) {
			c, err = s.contentionOf(ctx, k)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case late:
			return nil
		case err != nil: // a kernel is usable even without contention figures
			c = &profile.Contention{Unmeasured: err.Error()}
			s.report.Notes = append(s.report.Notes, faults.ContentionNotMeasured.Notef("memory contention of %s "+
				"was not measured: %v", s.design.Program.Kernels[k].Name, err))
		}
		s.contention[k] = c
	}
	return nil
}

// probe measures the slowdown of the probe by pressure, on the core of a kernel.
func (s *Session) probe(ctx context.Context, k int) error {
	d := s.design
	s.reportStage("measuring the effect of memory pressure on the probe")
	p, err := buildProbe(ctx, d, d.Program.Resources[d.Mapping.Place[k]], s.dir, s.memory.Bytes)
	if err != nil {
		return err
	}
	runs, err := s.pressedRuns(ctx, p, &xlang.Kernel{Outputs: []xlang.Port{{Name: "y", ElementBytes: 8}}})
	if err != nil {
		return fmt.Errorf("measuring the effect of memory pressure on the probe: %w", err)
	}
	s.memory.Probe = slowdowns(runs)
	switch {
	case len(s.memory.Probe) > 0:
	case !enough(runs):
		s.memory.Unmeasured = "other programs used the processors for most of the time"
	default:
		s.memory.Unmeasured = "the maximum memory pressure of one core does not slow a probe on another core"
	}
	return nil
}

// lacksContention returns the first kernel without contention figures; -1 for none. The instances of a pool share one
// measurement.
func (s *Session) lacksContention() int {
	for k := range s.design.Program.Kernels {
		if s.contention[k] != nil || !s.options.All && s.contentionBefore(k) != nil || !s.measures(k) {
			continue
		}
		shared := false
		for j, c := range s.contention {
			if alike(s.design, j, k) {
				s.contention[k], shared = c, true
				break
			}
		}
		if !shared {
			return k
		}
	}
	return -1
}

// measures reports whether a kernel has figures in this session.
func (s *Session) measures(k int) bool {
	if s.unchanged[k] != nil {
		return true
	}
	for _, r := range s.runs {
		if r.kernel == k {
			return len(r.clean.windows)+len(r.rough.windows) > 0
		}
	}
	return false
}

// contentionBefore returns the contention of an unchanged kernel from an earlier profile; nil if there is none.
func (s *Session) contentionBefore(k int) *profile.Contention {
	if x := s.unchanged[k]; x != nil {
		return x.Contention
	}
	for _, r := range s.runs {
		if r.kernel == k {
			name := s.design.Program.Kernels[k].Name
			platform := s.design.Program.Resources[s.design.Mapping.Place[k]].Platform
			if old := kept(s.options.Earlier, name, platform, r.hash); old != nil {
				return old.Contention
			}
		}
	}
	return nil
}

// contentionOf measures the memory contention of one kernel.
func (s *Session) contentionOf(ctx context.Context, k int) (*profile.Contention, error) {
	d := s.design
	name := d.Program.Kernels[k].Name
	s.reportStage("measuring memory contention of " + name)
	p, err := s.buildPressed(ctx, k, s.memory.Bytes)
	if err != nil {
		return nil, err
	}
	runs, err := s.pressedRuns(ctx, p, &d.Program.Kernels[k])
	if err != nil {
		return nil, err
	}
	c := &profile.Contention{Slowdown: slowdowns(runs)}
	c.Pressure, c.Unmeasured = pressure(runs, s.memory.Probe)
	seen := 0
	for _, list := range runs {
		seen += len(slower(list, turnHigh))
	}
	if seen < profile.FewestWindows {
		c.Unmeasured = fmt.Sprintf("the kernel ran under pressure in only %d windows: its firings are too long, or "+
			"the machine is too busy", seen)
	}
	return c, nil
}

// pressedRuns runs a program with pressure until there are enough moments, and then removes the program. It returns the
// moments of each run.
func (s *Session) pressedRuns(ctx context.Context, p *pressed, kernel *xlang.Kernel) (_ [][]moment, err error) {
	defer func() {
		if e := p.program.Remove(); err == nil {
			err = e
		}
	}()
	start := time.Now()
	defer func() { s.report.Seconds += time.Since(start).Seconds() }()
	var runs [][]moment
	for i := 0; i < maxPressedRuns && (i == 0 || !s.clock.isOver()) && (i < minPressedRuns || !enough(runs)); i++ {
		m, err := run.Well(ctx, p.program, run.Options{Frame: contentionFrame,
			Time: (contentionCycles*pacedTurns + 2) * turnTime})
		if err != nil {
			return nil, err
		}
		runs = append(runs, p.moments(m, kernel))
	}
	return runs, nil
}

// enough reports whether the runs contain enough moments of every level and of the probe.
func enough(runs [][]moment) bool {
	seen := [turnKinds]int{}
	for _, list := range runs {
		for _, turn := range []int{turnLow, turnMiddle, turnHigh} {
			seen[turn] += len(slower(list, turn))
		}
		for i := range list {
			if list[i].turn == turnProbed && list[i].cost > 0 {
				seen[turnProbed]++
			}
		}
	}
	return min(seen[turnLow], seen[turnMiddle], seen[turnHigh], seen[turnProbed]) >= enoughMoments
}

// moments returns the windows of a run that lie within one turn, and in which the pressure program had its processor.
// In a window within one turn, exactly one port of the pressure program sends.
func (p *pressed) moments(m *run.Measurement, kernel *xlang.Kernel) []moment {
	edges := p.program.Description().Edges
	var list []moment
	for i := range m.Frames {
		f := &m.Frames[i]
		if i < warmUpWindows || i == len(m.Frames)-1 || !(f.End > f.Start) {
			continue
		}
		x := moment{turn: -1, at: (f.Start + f.End) / 2}
		sent, bytes := uint64(0), 0.0
		for e, edge := range edges {
			n := &f.Edges[e]
			switch {
			case edge.From == p.pressure && n.Sent > 0 && sent > 0:
				x.turn = turnKinds // the window spans two turns
			case edge.From == p.pressure && n.Sent > 0:
				x.turn, sent = edge.FromPort, n.Sent
			case isSource(kernel) && edge.From == 0 && !edge.IsCopy:
				bytes += float64(n.Sent) * kernel.Outputs[edge.FromPort].ElementBytes
			case !isSource(kernel) && edge.To == 0 && !p.once[edge.ToPort]:
				bytes += float64(n.Consumed) * kernel.Inputs[edge.ToPort].ElementBytes
			}
		}
		if x.turn < 0 || x.turn == turnKinds {
			continue
		}
		if bytes > 0 && f.Kernels[0].Busy > 0 {
			x.cost, x.rate = f.Kernels[0].Busy/bytes, bytes/(f.End-f.Start)
		}
		x.chunk, x.present = f.Kernels[p.pressure].Busy/float64(sent), float64(sent)/(f.End-f.Start)
		if x.turn == turnProbed || x.turn == turnRests {
			x.probe = x.chunk
		}
		list = append(list, x)
	}
	return present(list)
}

// addContention adds the contention figures to a profile. It returns the kernels without contention figures, if these
// were requested.
func (s *Session) addContention(p *profile.Profile) (missing []string) {
	index := make(map[string]int, len(s.design.Program.Kernels))
	for k := range s.design.Program.Kernels {
		index[s.design.Program.Kernels[k].Name] = k
	}
	p.Memory = s.memory
	if e := s.options.Earlier; p.Memory == nil && e != nil {
		p.Memory = e.Memory
	}
	for i := range p.Kernels {
		k, isKnown := index[p.Kernels[i].Instance]
		if !isKnown || p.Kernels[i].ServiceRate == nil || p.Kernels[i].How != "" {
			continue
		}
		if c := s.contention[k]; c != nil {
			p.Kernels[i].Contention = c
		} else if p.Kernels[i].Contention == nil {
			p.Kernels[i].Contention = s.contentionBefore(k)
		}
	}
	if s.options.Contention && s.crossing && (s.memory == nil || s.memory.Unmeasured == "") {
		for k := range s.design.Program.Kernels {
			if s.measures(k) && s.contention[k] == nil && s.contentionBefore(k) == nil {
				missing = append(missing, s.design.Program.Kernels[k].Name)
			}
		}
	}
	return missing
}
