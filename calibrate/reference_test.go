package calibrate

import (
	"xopt/flow/profile"

	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/deploy/abi"
	"xopt/deploy/run"
	"xopt/mapper/result"
)

// ranBeside simulates a run with a turn of the reference at the start of each 20 ms frame. third is the
// relative time of the third probe in each frame, and part the share of the time in which the process had the
// processor.
func ranBeside(third []float64, part float64) *run.Measurement {
	const length = 0.02
	m := &run.Measurement{Measured: result.Measured{Processes: make([]result.Process, 1)},
		Reference: make([][]run.ReferenceTurn, 1)}
	for i, x := range third {
		turn := run.ReferenceTurn{Frame: uint64(i), Time: float64(i)*length + 1e-4, CPU: float64(i) * length * part}
		for probe := range abi.Probes {
			turn.Probes[probe] = 1e-5
		}
		turn.Probes[2] *= x
		m.Reference[0] = append(m.Reference[0], turn)
		m.Frames = append(m.Frames, run.FrameData{Frame: uint64(i), Start: float64(i) * length,
			End: float64(i+1) * length})
	}
	return m
}

// TestTurns: a window is compared with the turns around it. An interrupted turn does not count, and time used
// by another process is subtracted.
func TestTurns(t *testing.T) {
	var machine reference
	m := ranBeside([]float64{9, 1, 1, 1, 1, 7, 1, 1, 2, 2, 2, 2}, 0.97)
	turns := machine.turnsOf(m, 0)
	for i, want := range map[int]float64{2: 1, 4: 1, 5: 1, 9: 2, 10: 2} {
		w := machine.sample(1e-9, &turns, &m.Frames[i])
		if math.Abs(w.probes[2]/1e-5-want) > 1e-9 || math.Abs(w.lost-0.03) > 1e-9 || w.preempted() ||
			math.Abs(w.cost-0.97e-9) > 1e-15 {
			t.Errorf("frame %d: %+v, want probes of %g and 3 %% lost", i, w, want)
		}
	}
	if turns.cut(&m.Frames[10]) || !turns.cut(&m.Frames[11]) {
		t.Error("the last frame, and no other, has no turn after it")
	}
	late := ranBeside([]float64{1, 1, 1, 1}, 1)
	late.Reference[0][2].Time += 0.005 // a call of frame 1 ended then, and frame 2 has its time
	late.Reference[0][3].CPU -= 0.005
	turns = machine.turnsOf(late, 0)
	if w := machine.sample(1e-9, &turns, &late.Frames[2]); math.Abs(w.lost-0.005/0.04) > 1e-9 || !w.preempted() {
		t.Errorf("after a late turn: %+v", w)
	}
	busy := ranBeside([]float64{1, 1, 1, 1}, 0.6)
	turns = machine.turnsOf(busy, 0)
	if w := machine.sample(1e-9, &turns, &busy.Frames[1]); !w.preempted() || math.Abs(w.lost-0.4) > 1e-9 || w.run != 2 {
		t.Errorf("with 40 %% lost: %+v", w)
	}
	busy.Processes = append(busy.Processes, result.Process{})
	turns = machine.turnsOf(busy, 0)
	if w := machine.sample(1e-9, &turns, &busy.Frames[1]); w.preempted() || w.cost != 1e-9 {
		t.Errorf("a process that may have waited for another: %+v", w)
	}
	none := &run.Measurement{Frames: busy.Frames, Measured: busy.Measured}
	turns = machine.turnsOf(none, 0)
	if w := machine.sample(1e-9, &turns, &busy.Frames[1]); w.probes != nil {
		t.Errorf("without turns: %+v", w)
	}
}

// slowed simulates a kernel with a cost of 2 ns per byte and 0.5 % noise. The first runs are undisturbed. In
// the others the third probe is up to 1.8 times slower, and the kernel follows it with exponent b.
func slowed(machine *reference, b float64, good, slow int) []sample {
	random := rand.New(rand.NewPCG(11, 1))
	var list []sample
	for i := range good + slow {
		third := 1.0
		if i >= good {
			third = 1.5 + 0.3*random.Float64()
		}
		m := ranBeside([]float64{1, third, third, third, third, third}, 1)
		turns := machine.turnsOf(m, 0)
		for f := 2; f < 5; f++ {
			cost := 2e-9 * math.Pow(third, b) * (1 + 0.005*random.NormFloat64())
			list = append(list, machine.sample(cost, &turns, &m.Frames[f]))
		}
	}
	return list
}

// TestUndisturbed: the rate of a kernel is its undisturbed rate although most windows were slow. Costs that follow
// the machine are corrected in the same way, and the profile contains the correction.
func TestUndisturbed(t *testing.T) {
	machine := &reference{}
	r := &kernelRun{machine: machine}
	r.pool = &pool{runs: []*kernelRun{r}}
	x := readings{windows: slowed(machine, 0.9, 4, 12), runs: 16}
	r.clean = x
	f, _ := r.rate()
	low, high, ok := f.Interval()
	if math.Abs(f.Value*2e-9-1) > 0.01 || !ok || low*2e-9 > 1 || high*2e-9 < 1 || f.N != 48 {
		t.Errorf("%+v from %g to %g, want 5e8 of 48 windows", f.Value, low, high)
	}
	if g := r.describeUndisturbed(); g.Windows != 48 || g.Good != 12 || g.Extrapolated() ||
		math.Abs(g.Sensitivity["near vectors"]-0.9) > 0.05 ||
		math.Abs(g.Sensitivity["chain"]-0.1) > 0.05 || len(g.Sensitivity) != 2 || len(g.Unknown) != abi.Probes-2 {
		t.Errorf("%+v, want 12 of 48 windows good, and near vectors with 0.9, and the clock for the rest", g)
	}
	probes := slices.Repeat([]float64{1e-5}, abi.Probes)
	probes[2] *= 1.6
	if got, want := r.slowdown(probes), math.Pow(1.6, 0.9); math.Abs(got/want-1) > 0.02 {
		t.Errorf("1.6 times slower vectors make it %g times slower, want %g", got, want)
	}
	// A pair of runs in a slow phase; the second costs 1 ns more per byte.
	slow := math.Pow(1.6, 0.9)
	for range 3 {
		pair := crossed{part: 1}
		for range 4 {
			pair.near = append(pair.near, sample{cost: 2e-9 * slow, probes: probes})
			pair.far = append(pair.far, sample{cost: 3e-9 * slow, probes: probes})
		}
		r.clean.receive = append(r.clean.receive, pair)
	}
	var out profile.Kernel
	if r.crossing(&out); out.ReceiveCost == nil || math.Abs(out.ReceiveCost.Value-1e-9) > 0.05e-9 ||
		out.SendCost != nil {
		t.Errorf("receiving costs %+v, sending %+v, want 1 ns a byte and nothing measured", out.ReceiveCost,
			out.SendCost)
	}
	s := machine.summary()
	if s.Windows != 48 || math.Abs(s.Probes[2].Good-1e-5) > 1e-8 || math.Abs(s.Probes[2].Undisturbed-0.25) > 1e-9 ||
		s.Probes[0].Undisturbed != 1 || s.Probes[0].Spread != 0 || !(s.Probes[2].Spread > 0.2) ||
		!(s.Repeatability > 0.02) {
		t.Errorf("of the machine: %+v", s)
	}
	if (&reference{}).summary() != nil {
		t.Error("without turns there is something of the machine")
	}
}

// TestNoUndisturbed: a kernel without undisturbed windows is marked as extrapolated, and its interval includes the
// extrapolation.
func TestNoUndisturbed(t *testing.T) {
	machine := &reference{}
	slowed(machine, 0, 8, 0) // another kernel was undisturbed
	r := &kernelRun{machine: machine}
	r.pool = &pool{runs: []*kernelRun{r}}
	r.clean = readings{windows: slowed(machine, 0.9, 0, 8), runs: 8}
	f, _ := r.rate()
	if g := r.describeUndisturbed(); !g.Extrapolated() {
		t.Errorf("%+v", g)
	}
	if low, high, ok := f.Interval(); !ok || low*2e-9 > 1 || high*2e-9 < 1 {
		t.Errorf("%g in %g to %g, want 5e8 in it", f.Value, low, high)
	}
	if d := r.doubt(0.5); d != "none of its 24 windows was undisturbed" {
		t.Errorf("doubt %q", d)
	}
}
