package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMixture compares the minimum of the largest load with all mixtures on a fine grid, which are never less and
// hardly more.
func TestMixture(t *testing.T) {
	var m Mixture
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sources := 1 + rng.IntN(3)
		rows := make([][]float64, 1+rng.IntN(6))
		m.Reset(sources)
		for i := range rows {
			for range sources {
				rows[i] = append(rows[i], rng.Float64()*float64(rng.IntN(3)))
			}
			m.Add(rows[i]...)
		}
		got, truth := m.Minimum(), math.Inf(1)
		const steps = 200
		for a := range steps + 1 {
			for b := range steps + 1 - a {
				mix := []float64{float64(a) / steps, float64(b) / steps, float64(steps-a-b) / steps}
				if sources < 3 && mix[2] > 0 || sources < 2 && mix[1] > 0 {
					continue
				}
				truth = min(truth, mixedLoad(rows, mix))
			}
		}
		if got > truth+1e-12 || got < truth-3./steps*2 {
			t.Errorf("seed %d: %g, and on the grid %g", seed, got, truth)
		}
	}
	m.Reset(2)
	if got := m.Minimum(); got != 0 {
		t.Errorf("no loads have %g", got)
	}
	if m.Add(1, 0); m.Minimum() != 0 {
		t.Errorf("a source that brings nothing leaves %g", m.Minimum())
	}
}

// mixedLoad returns the largest load of a mixture.
func mixedLoad(rows [][]float64, mix []float64) float64 {
	maximum := 0.0
	for _, row := range rows {
		sum := 0.0
		for f, load := range row {
			sum += mix[f] * load
		}
		maximum = max(maximum, sum)
	}
	return maximum
}
