package calibrate

import (
	"errors"
	"math"
	"testing"

	"xopt/flow/profile"
)

// TestSwitchCost: the cost that pipelines were made with is found, and the noise of long
// kernels does not hide it.
func TestSwitchCost(t *testing.T) {
	pipeline := func(noise float64, times ...float64) SharingCase {
		sum := 0.0
		for _, s := range times {
			sum += s
		}
		rate := (1 + noise) / (sum + 30e-9*float64(len(times)))
		return SharingCase{Times: times, Conserving: 1 / sum, Rate: profile.Median{Value: rate, Low: 0.99 * rate,
			High: 1.01 * rate}}
	}
	value, low, high := switchCost([]SharingCase{pipeline(0, 20e-6, 5e-6, 2e-6), pipeline(0, 2e-6, 2e-6, 2e-6),
		pipeline(0, 0.3e-6, 0.3e-6, 0.3e-6)})
	if math.Abs(value-30e-9) > 1e-12 || !(low < value && value < high) {
		t.Errorf("the cost is %g (%g to %g), want 30 ns", value, low, high)
	}
	value, _, _ = switchCost([]SharingCase{pipeline(-0.01, 20e-6, 5e-6, 2e-6), pipeline(0.01, 2e-6, 2e-6, 2e-6),
		pipeline(0, 0.3e-6, 0.3e-6, 0.3e-6)})
	if math.Abs(value-30e-9) > 4e-9 {
		t.Errorf("with noise the cost is %g, want 30 ns nearly", value)
	}
	// Times between kernels measured in the runs themselves override rates of other runs, made in other phases
	// of the machine.
	reported := []SharingCase{pipeline(0.1, 20e-6), pipeline(-0.2, 0.05e-6, 0.05e-6, 0.05e-6)}
	reported[0].Between = profile.Median{Value: 90e-9, Low: 80e-9, High: 100e-9, N: 3}
	reported[1].Between = profile.Median{Value: 2e-9, Low: 1e-9, High: 3e-9, N: 3}
	if value, low, high := switchCost(reported); math.Abs(value-2e-9) > 0.1e-9 || !(low < value && value < high) {
		t.Errorf("the cost that runs tell is %g (%g to %g), want 2 ns nearly", value, low, high)
	}
	if value, _, _ := switchCost([]SharingCase{pipeline(0.5, 0.3e-6)}); value != 0 {
		t.Errorf("a pipeline that is faster than its kernels has the cost %g", value)
	}
}

// TestUnusableSharing: a pipeline without output, or whose kernels have no rate alone, yields no model and no
// figure that JSON cannot represent.
func TestUnusableSharing(t *testing.T) {
	good := SharingCase{Times: []float64{2, 2}, Conserving: 1e5, Equal: 1e5, Rate: profile.Median{Value: 9e4}}
	if err := good.usable(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(c *SharingCase){
		"no rate":       func(c *SharingCase) { c.Rate.Value = 0 },
		"no rate alone": func(c *SharingCase) { c.Conserving = math.Inf(1) },
		"none at all":   func(c *SharingCase) { c.Conserving, c.Equal = math.NaN(), math.NaN() },
		"a failure":     func(c *SharingCase) { c.Fail = "it hangs" },
	} {
		c := good
		change(&c)
		if err := c.usable(); err == nil || errors.Is(err, ErrTooBusy) != (c.Fail == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
