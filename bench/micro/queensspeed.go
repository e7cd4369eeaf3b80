package micro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"xopt/bench/apps"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
)

// QueensSpeed is the speed of the simulation of N-queens cores in virtual time.
type QueensSpeed struct {
	What    string
	Cycles  uint64    // FPGA cycles of a run
	Seconds []float64 // duration of each run on this machine
}

// The parameters of [QueensSpeeds].
const (
	speedCores    = 4
	speedElements = 160 * 64 // number of repetitions of the search for 8 queens
	speedRounds   = 9
	speedClock    = 50e6 // Hz, as in QueensCost.design
)

// QueensSpeeds simulates four cores in interleaved runs: without monitors, with hardware monitors of their cycles, and
// with taps on all edges.
func QueensSpeeds(ctx context.Context, note func(text string)) (_ []QueensSpeed, err error) {
	dir, err := apps.Unpack("queens")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c := QueensCost{Device: "XC7A35T", LUT: 20800, FF: 41600, BRAM: 50}
	d, _, _, err := c.design(dir, speedCores)
	if err != nil {
		return nil, err
	}
	list := []QueensSpeed{{What: "without monitors"}, {What: "with monitors in the hardware"},
		{What: "with taps of all edges"}}
	var programs []*program.Program
	defer func() {
		for _, p := range programs {
			err = errors.Join(err, p.Remove())
		}
	}()
	for i := range list {
		note("building " + list[i].What)
		o, x := program.Options{Elements: speedElements}, xsim.Options{Seed: 1}
		switch i {
		case 1:
			x.MonitorArea = 0.99 // large enough for all monitors
		case 2:
			o.Taps = edgeTaps(d)
		}
		p, _, err := xsim.Build(ctx, d, o, x, "")
		if err != nil {
			return nil, fmt.Errorf("simulating cores %s: %w", list[i].What, err)
		}
		programs = append(programs, p)
	}
	for round := range speedRounds {
		note(fmt.Sprintf("round %d of %d", round+1, speedRounds))
		for i := range list {
			m, err := run.Well(ctx, programs[i], run.Options{})
			if err != nil {
				return nil, fmt.Errorf("simulating cores %s: %w", list[i].What, err)
			}
			list[i].Cycles = uint64(math.Round(m.Seconds * speedClock))
			list[i].Seconds = append(list[i].Seconds, m.Wall)
		}
	}
	return list, nil
}

// edgeTaps returns taps that measure occupancy and latency, with histograms, for all edges.
func edgeTaps(d *design.Design) (taps []program.Tap) {
	for e := range d.Program.Edges {
		for _, kind := range []program.TapKind{program.Occupancy, program.Latency} {
			taps = append(taps, program.Tap{Kind: kind, Edge: e, Histogram: &program.Bins{}})
		}
	}
	return taps
}
