package calibrate

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/flow/profile"
)

// pressedList returns simulated moments of a run. The kernel is slowed by times in each kind of turn and slows
// the probe by probed. A slow phase in the middle doubles all times.
func pressedList(rng *rand.Rand, times [turnKinds]float64, speed, probed float64) []moment {
	order := []int{turnAlone, turnLow, turnAlone, turnMiddle, turnAlone, turnHigh, turnProbed, turnRests, turnProbed,
		turnRests}
	var list []moment
	at := 0.0
	for cycle := range 8 {
		for i, turn := range order {
			phase := 1.0
			if cycle == 4 || cycle == 5 && i < 5 {
				phase = 2
			}
			for range 2 {
				at += 0.010
				noise := 1 + 0.01*rng.NormFloat64()
				m := moment{turn: turn, at: at, chunk: 1e-5, present: 0.99e5}
				if turn != turnRests {
					m.cost = 1e-9 * times[turn] * phase * noise
					m.rate = speed / 1e-9 / times[turn] / phase
				}
				if turn == turnProbed {
					m.probe = 1e-5 * (1 + (probed-1)*speed/times[turn]/phase) * phase
				} else if turn == turnRests {
					m.probe = 1e-5 * phase
				}
				list = append(list, m)
			}
			at += 0.010 // the window between two turns
		}
	}
	return list
}

// TestContentionFit finds the curve and the pressure that moments were made of, through a phase in
// which everything takes twice as long.
func TestContentionFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	probe := []profile.Slowdown{{Level: 3, Times: profile.Figure{Value: 1.1}},
		{Level: 6, Times: profile.Figure{Value: 1.3}}, {Level: 10, Times: profile.Figure{Value: 1.5}}}
	times := [turnKinds]float64{turnAlone: 1, turnLow: 1.05, turnMiddle: 1.15, turnHigh: 1.4, turnProbed: 1.2}
	runs := [][]moment{pressedList(rng, times, 0.6, 1.2), pressedList(rng, times, 0.6, 1.2)}
	curve := slowdowns(runs)
	if len(curve) != 3 {
		t.Fatalf("the curve is %+v", curve)
	}
	for i, want := range []float64{1.05, 1.15, 1.4} {
		if low, high, ok := curve[i].Times.Interval(); math.Abs(curve[i].Times.Value-want) > 0.015*want || !ok ||
			low > want || high < want {
			t.Errorf("at level %g it takes %+v times as long, want %g", curve[i].Level, curve[i].Times, want)
		}
	}
	p, whyUnmeasured := pressure(runs, probe)
	if p == nil || math.Abs(p.Value-4.5) > 0.4 { // 1.2 is halfway between levels 3 and 6
		t.Errorf("pressure is %+v (%s), want level 4.5", p, whyUnmeasured)
	}
	full := &profile.Profile{Memory: &profile.Memory{Probe: probe},
		Kernels: []profile.Kernel{{Block: "A", Platform: "C",
			Contention: &profile.Contention{Pressure: p, Slowdown: curve}}}}
	if err := full.Validate(); err != nil {
		t.Error(err)
	}

	flat := [turnKinds]float64{turnAlone: 1, turnLow: 1, turnMiddle: 1, turnHigh: 1, turnProbed: 1}
	none := [][]moment{pressedList(rng, flat, 0.6, 1), pressedList(rng, flat, 0.6, 1)}
	if curve := slowdowns(none); curve != nil {
		t.Errorf("a kernel that nothing slows has %+v", curve)
	}
	if p, whyUnmeasured := pressure(none, probe); p != nil || whyUnmeasured != "" {
		t.Errorf("a kernel that slows nothing has pressure %+v (%s)", p, whyUnmeasured)
	}
	seldom := [][]moment{pressedList(rng, flat, 0.02, 2)}
	if p, whyUnmeasured := pressure(seldom, probe); p != nil || !strings.Contains(whyUnmeasured, "busy for only 2 %") {
		t.Errorf("a kernel that seldom works has pressure %+v (%s)", p, whyUnmeasured)
	}
	if slowdowns([][]moment{{}}) != nil {
		t.Error("nothing was seen, and there is a curve")
	}
}

// TestRising pools falling values.
func TestRising(t *testing.T) {
	for _, c := range []struct{ from, want []float64 }{
		{[]float64{1.1, 1.2, 1.3}, []float64{1.1, 1.2, 1.3}},
		{[]float64{0.9, 1.2, 1.1}, []float64{1, 1.15, 1.15}},
		{[]float64{1.3, 1.2, 1.1}, []float64{1.2, 1.2, 1.2}},
		{[]float64{0.9, 0.8, 0.7}, []float64{1, 1, 1}},
	} {
		var curve []profile.Slowdown
		for i, v := range c.from {
			curve = append(curve, profile.Slowdown{Level: float64(i + 1), Times: profile.Figure{Value: v, N: 9,
				CI95: [2]float64{v - 0.01, v + 0.01}}})
		}
		rising(curve)
		for i, want := range c.want {
			f := curve[i].Times
			if math.Abs(f.Value-want) > 1e-12 || f.CI95[0] > f.Value || f.CI95[1] < f.Value {
				t.Errorf("%v: value %d is %+v, want %g", c.from, i, f, want)
			}
		}
	}
}

// TestLevelOf: the inverse of a curve, up to its last level.
func TestLevelOf(t *testing.T) {
	curve := []profile.Slowdown{{Level: 3, Times: profile.Figure{Value: 1}},
		{Level: 6, Times: profile.Figure{Value: 1.2}},
		{Level: 10, Times: profile.Figure{Value: 1.2}}}
	for times, want := range map[float64]float64{0.9: 3, 1: 3, 1.1: 4.5, 1.2: 10, 2: 10} {
		if got := levelOf(curve, times); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g times are level %g, want %g", times, got, want)
		}
	}
}

// TestPresent omits windows in which something else had the processor of the pressure.
func TestPresent(t *testing.T) {
	list := present([]moment{{turn: turnHigh, chunk: 1e-4, present: 9000}, {turn: turnHigh, chunk: 3e-4, present: 3000},
		{turn: turnAlone, chunk: 1e-3, present: 950}, {turn: turnAlone, chunk: 3e-3, present: 300},
		{turn: turnLow, chunk: 3e-4, present: 3000}})
	if len(list) != 3 || list[1].turn != turnAlone || list[1].present != 950 {
		t.Errorf("left are %+v", list)
	}
}

// TestSharedMemory reads the caches that processors share from a copy of Linux's sysfs.
func TestSharedMemory(t *testing.T) {
	dir := t.TempDir()
	write := func(index, level, kind, size, list string) {
		at := filepath.Join(dir, "cpu0", "cache", index)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"level": level, "type": kind, "size": size, "shared_cpu_list": list} {
			if err := os.WriteFile(filepath.Join(at, name), []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if m := sharedIn(dir, [2]int{0, 5}); !m.Assumed || m.Shared != "memory" || m.Bytes != 2*assumedCache {
		t.Errorf("of a machine that tells nothing: %+v", m)
	}
	write("index0", "1", "Data", "32K", "0")
	write("index1", "1", "Instruction", "32K", "0-7")
	write("index2", "2", "Unified", "1024K", "0-1")
	if m := sharedIn(dir, [2]int{0, 5}); m.Assumed || m.Shared != "memory" || m.Bytes != minPressure {
		t.Errorf("of processors without a shared cache: %+v", m)
	}
	write("index3", "3", "Unified", "32M", "0-3,5,8-9")
	if m := sharedIn(dir, [2]int{0, 5}); m.Assumed || m.Shared != "L3 cache of 32768 KiB and memory" ||
		m.Bytes != 64<<20 {
		t.Errorf("of processors with a shared cache: %+v", m)
	}
}

// TestContentionAside: if a deadline is set, windows reserve a limited share of the remaining time for memory
// contention.
func TestContentionAside(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		contention bool
		left, want time.Duration
	}{
		{false, 100 * time.Second, 100 * time.Second},
		{true, 100 * time.Second, 88 * time.Second}, // 2 kernels and the probe, 4 s each
		{true, 10 * time.Second, 6 * time.Second},
	} {
		o := Options{Contention: c.contention, Until: now.Add(c.left), now: func() time.Time { return now }}
		clock := newClock(&o, 2)
		clock.built(2)
		clock.measuring()
		if got := clock.windowsEnd.Sub(now); got != c.want {
			t.Errorf("%+v: windows end after %s", c, got)
		}
	}
}
