package calibrate

import (
	"testing"
	"time"

	"xopt/flow/profile"
)

// TestHardwareTime: hardware leaves time for a turn of each kernel on a core, at most half of the remaining time;
// without a limit it has no deadline.
func TestHardwareTime(t *testing.T) {
	now := time.Unix(1000, 0)
	o := Options{now: func() time.Time { return now }, Until: now.Add(time.Minute)}
	o.fill()
	c := newClock(&o, 1)
	now = now.Add(20 * time.Second)
	for kernels, want := range map[int]time.Duration{5: 40*time.Second - 5*runsTime, 1000: 20 * time.Second} {
		if c.built(kernels); c.hardware(o).Until.Sub(now) != want {
			t.Errorf("beside %d kernels, hardware has %v, want %v", kernels, c.hardware(o).Until.Sub(now), want)
		}
	}
	now = now.Add(time.Minute)
	if got := c.hardware(o).Until; got.After(now) {
		t.Errorf("after the end hardware has until %v", got)
	}
	o.Until = time.Time{}
	if c = newClock(&o, 1); !c.hardware(o).Until.IsZero() {
		t.Error("there is a limit where none was given")
	}
}

// TestOwnClocks: if there was no time to find the clock of an FPGA, kernels use the lowest f_max of the
// measured kernels. If one has no f_max, there are no figures.
func TestOwnClocks(t *testing.T) {
	kernel := func(hertz float64) *hardwareKernel {
		return &hardwareKernel{figures: profile.Kernel{MaxClock: &profile.Figure{Value: hertz}},
			rate: []float64{2, 2}}
	}
	list := atOwnClocks([]*hardwareKernel{kernel(50e6), kernel(30e6)})
	if len(list) != 2 || list[0].Clock != 30e6 || list[0].ServiceRate.Value != 60e6 {
		t.Errorf("got %+v", list)
	}
	if list = atOwnClocks([]*hardwareKernel{kernel(50e6), {rate: []float64{2}}}); list != nil {
		t.Errorf("one without f_max: %+v", list)
	}
	if list = atOwnClocks(nil); list != nil {
		t.Errorf("nothing: %+v", list)
	}
}
