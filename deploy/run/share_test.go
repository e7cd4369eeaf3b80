package run

import (
	"math"
	"testing"
)

// TestShare: the work of a long call counts in the frames in which it was done, and no process works for more than a
// frame.
func TestShare(t *testing.T) {
	const length = 0.1
	type step struct {
		calls   [2]uint64
		busy    [2]float64 // as counted
		running int
		want    [2]float64
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"short calls", []step{{[2]uint64{9, 9}, [2]float64{.05, .04}, 0, [2]float64{.05, .04}}}},
		{"a call of four frames", []step{
			{[2]uint64{1, 0}, [2]float64{.02, 0}, 1, [2]float64{.02, 0}},
			{[2]uint64{0, 0}, [2]float64{0, 0}, 1, [2]float64{0, .1}},
			{[2]uint64{0, 0}, [2]float64{0, 0}, 1, [2]float64{0, .1}},
			{[2]uint64{0, 1}, [2]float64{0, .33}, -1, [2]float64{0, .1}}, // .08 of them before the second
			{[2]uint64{1, 1}, [2]float64{.01, .02}, -1, [2]float64{.01, .02}},
		}},
		{"what began before is cut first", []step{
			{[2]uint64{0, 1}, [2]float64{0, .01}, 1, [2]float64{0, .01}},
			{[2]uint64{1, 1}, [2]float64{.06, .09}, -1, [2]float64{.06, .04}},
		}},
		{"else all alike", []step{{[2]uint64{1, 1}, [2]float64{.1, .3}, -1, [2]float64{.05, .05}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorking(1, 2)
			for i, s := range c.steps {
				f := &FrameData{Start: float64(i) * length, End: float64(i+1) * length,
					Kernels: []KernelFrame{{Calls: s.calls[0], Busy: s.busy[0]}, {Calls: s.calls[1], Busy: s.busy[1]}}}
				w.share(f, []int{0, 0}, []int{s.running}, []bool{true}, func(int) float64 { return 0 })
				for k := range f.Kernels {
					if x := f.Kernels[k]; math.Abs(x.Worked-s.want[k]) > 1e-9 ||
						x.Estimated != (math.Abs(s.want[k]-s.busy[k]) > 1e-9) {
						t.Errorf("frame %d, kernel %d worked %.3f s (estimated: %v), want %.3f", i, k, x.Worked,
							x.Estimated, s.want[k])
					}
				}
			}
		})
	}
}
