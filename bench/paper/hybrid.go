package paper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"xopt/bench/apps"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/hdl/rtl"
	"xopt/internal/files/scratch"
)

// BusPoint is the result for one bus bandwidth of VERITAS in fixed point, with xopt's kernels (Gayen 2008, Tables 6.1
// and 6.2). Kernel chopper runs on the second core in mapping A, and on the FPGA in mapping B.
type BusPoint struct {
	Pipes     int
	Bandwidth float64 // bytes/s
	A, B      BusRun
}

// BusRun is the result of one mapping at one bandwidth. Throughputs are output rates of the source in bytes/s.
type BusRun struct {
	Predicted, Simulated float64
	Bottleneck           string
}

// SimulationSpeed is the speed of a simulation on this machine.
type SimulationSpeed struct {
	What     string
	Cycles   uint64
	Elements uint64 // number of elements consumed by the kernel, or sent by the pipes
	Seconds  float64
}

// HybridOptions configures [Hybrid].
type HybridOptions struct {
	Bandwidths []float64
	Pipes      []int
	Window     time.Duration    // virtual time after a warm-up of the same length
	Figures    *profile.Profile // profile of the kernels; nil to measure them
	Note       func(text string)
}

// hybridMaps returns mapA and mapB of Gayen 2008 §6.2.4 in X.
func hybridMaps() [2]string {
	const common = `map { top.read, top.split, top.pipe[*].convert } to proc[1];
map { top.pipe[*].pad, top.pipe[*].fft, top.pipe[*].lowre, top.pipe[*].lowim, top.pipe[*].ifft } to fpga;
map { top.merge, top.out } to proc[2];
buffer { top.pipe[*].padin, top.pipe[*].chopin } = 16;
`
	return [2]string{
		common + "map { top.pipe[*].chopper } to proc[2];\n",
		common + "map { top.pipe[*].chopper } to fpga;\n",
	}
}

// Hybrid measures the kernels of VERITAS in fixed point. It predicts and simulates both mappings for each bandwidth of
// the bus.
func Hybrid(ctx context.Context, o HybridOptions) (points []BusPoint, speeds []SimulationSpeed, err error) {
	dir, err := apps.Unpack("veritas")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for i, text := range hybridMaps() {
		if err := os.WriteFile(fmt.Sprintf("%s/map%c.x", dir, 'A'+i), []byte(text), 0o644); err != nil {
			return nil, nil, fmt.Errorf("writing a mapping: %w", err)
		}
	}
	for _, pipes := range o.Pipes {
		set := map[string]string{"top.pipes": fmt.Sprint(pipes)}
		o.Note(fmt.Sprintf("%d pipes: measuring the kernels", pipes))
		s := subject{name: "veritas", dir: dir, files: []string{"fixed.x", "hybrid.x"}, set: set, elements: 200}
		d, err := s.load(nil)
		if err != nil {
			return points, speeds, err
		}
		measured := o.Figures
		if measured == nil {
			if measured, _, err = calibrate.Calibrate(ctx, d, calibrate.Options{Elements: s.elements, Precision: 0.02,
				Budget: 10 * time.Second}); err != nil {
				return points, speeds, fmt.Errorf("measuring kernels: %w", err)
			}
		}
		if speeds == nil {
			if speeds, err = kernelSpeeds(ctx, d); err != nil {
				return points, speeds, err
			}
		}
		for _, bandwidth := range o.Bandwidths {
			o.Note(fmt.Sprintf("%d pipes, a bus of %g MB/s", pipes, bandwidth/1e6))
			p := BusPoint{Pipes: pipes, Bandwidth: bandwidth}
			for i, to := range []*BusRun{&p.A, &p.B} {
				speed, err := to.run(ctx, s.at(fmt.Sprintf("map%c.x", 'A'+i), bandwidth), measured, o)
				if err != nil {
					return points, speeds, fmt.Errorf("%d pipes, map%c, %g bytes/s: %w", pipes, 'A'+i, bandwidth, err)
				}
				if bandwidth == o.Bandwidths[len(o.Bandwidths)-1] {
					speed.What = fmt.Sprintf("veritas, %d pipes, map%c, whole", pipes, 'A'+i)
					speeds = append(speeds, speed)
				}
			}
			points = append(points, p)
		}
	}
	return points, speeds, nil
}

// at returns the subject with the given mapping file and bus bandwidth in bytes/s.
func (s subject) at(mapping string, bandwidth float64) subject {
	s.files = append(slices.Clone(s.files), mapping)
	set := map[string]string{"PCIX.bandwidth": fmt.Sprintf("%.0fB/s", bandwidth), "mem.bandwidth": "5GB/s"}
	maps.Copy(set, s.set)
	s.set = set
	return s
}

// run predicts and simulates one mapping at one bandwidth.
func (b *BusRun) run(ctx context.Context, s subject, figures *profile.Profile, o HybridOptions) (speed SimulationSpeed,
	err error) {
	d, err := s.load(figures)
	if err != nil {
		return speed, err
	}
	steady(d)
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return speed, err
	}
	want, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return speed, err
	}
	b.Predicted = want.Throughput
	b.Bottleneck = strings.Join(want.Limiting(n), ", ")
	prog, _, err := xsim.Build(ctx, d, program.Options{Elements: math.MaxInt64}, xsim.Options{FromProfile: true,
		Seed: 1}, "")
	if err != nil {
		return speed, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	m, err := run.Well(ctx, prog, run.Options{Time: 2 * o.Window, Frame: o.Window})
	if err != nil {
		return speed, err
	}
	if len(m.Frames) < 2 {
		return speed, errors.New("the source ended before the measurement was complete (choose a shorter --window)")
	}
	// The throughput is measured at the pipes, because the source sends an event of 499 pixels at once, and buffers on
	// cores fill slowly.
	f := m.Frames[1]
	measured, predicted := 0.0, 0.0
	for e, edge := range d.Program.Edges {
		if d.Program.Kernels[edge.To].Block == "Merger" {
			measured += float64(f.Edges[e].Sent) * d.Problem.Application.Edges[e].ElementBytes / (f.End - f.Start)
			predicted += want.EdgeFlow[e]
			speed.Elements += m.Edges[e].Elements
		}
	}
	if !(measured > 0) {
		return speed, fmt.Errorf("the pipes produced no output in %v of virtual time (choose a longer --window)",
			o.Window)
	}
	b.Simulated = want.Throughput * measured / predicted
	for r := range d.Program.Resources {
		if !design.IsFPGA(d.Program, r) {
			continue
		}
		fpga, err := design.NewFPGA(d.Program, r)
		if err != nil {
			return speed, err
		}
		speed.Cycles = max(speed.Cycles, uint64(m.Seconds*fpga.Given))
	}
	speed.Seconds = m.Wall
	return speed, nil
}

// steady makes the service times of kernels on cores constant, so that disturbances during the measurement of these
// times do not affect the experiment, which is about the bus.
func steady(d *design.Design) {
	for k := range d.Problem.Figures {
		for r := range d.Problem.Figures[k] {
			if !design.IsFPGA(d.Program, r) {
				d.Problem.Figures[k][r].ServiceSCV = 0
			}
		}
	}
}

// kernelSpeeds measures the simulation speed of each hardware block separately. The input is zeros, because the speed
// does not depend on the data.
func kernelSpeeds(ctx context.Context, d *design.Design) (list []SimulationSpeed, err error) {
	cache := rtl.UserCache(ctx)
	zeros, err := scratch.File("", scratch.Bench)
	if err != nil {
		return nil, fmt.Errorf("creating a file of zeros: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(zeros.Name())) }()
	_, werr := zeros.Write(make([]byte, 1<<16))
	if err := errors.Join(werr, zeros.Close()); err != nil {
		return nil, fmt.Errorf("writing a file of zeros: %w", err)
	}
	fpga := xsim.AnyFPGA()
	seen := make(map[string]bool)
	for k := range d.Program.Kernels {
		kernel := &d.Program.Kernels[k]
		if seen[kernel.Block] || fpga.Implementation(d.Program, kernel.Block) == nil {
			continue
		}
		seen[kernel.Block] = true
		m, err := fpga.Open(ctx, cache, d.Program, k)
		if err != nil {
			return list, err
		}
		s, err := cache.Simulate(ctx, m)
		if err != nil {
			return list, err
		}
		var feeds []rtl.Feed
		for _, p := range kernel.Inputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Input: true, Element: int(p.ElementBytes), File: zeros.Name()})
		}
		for _, p := range kernel.Outputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Element: int(p.ElementBytes)})
		}
		start := time.Now()
		r, err := s.Run(ctx, feeds, rtl.Options{Cycles: 3_000_000, Seed: 1})
		if err != nil {
			return list, err
		}
		list = append(list, SimulationSpeed{What: kernel.Block + ", alone", Cycles: r.Cycles, Elements: r.Firings,
			Seconds: time.Since(start).Seconds()})
	}
	return list, nil
}
