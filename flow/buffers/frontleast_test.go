package buffers

import "testing"

// TestLeastMemory checks that a target uses the sizes of a higher one if they need less memory and keep the target.
func TestLeastMemory(t *testing.T) {
	front := &Front{Keep: 0.95, Max: 100, Low: 95, Simulations: 3, Points: []FrontPoint{{Memory: 64, Throughput: 95}}}
	for _, x := range []struct{ memory, low, want float64 }{{48, 99, 48}, {48, 94, 64}, {80, 99, 64}} {
		higher := &Front{Keep: 0.99, Max: 100, Low: x.low, Minimal: true, Insufficient: 40, Simulations: 4, Chosen: 1,
			Points: []FrontPoint{{Memory: 40, Throughput: 98}, {Memory: x.memory, Throughput: 99}}}
		got := minMemory(front, higher)
		if p := got.Points[got.Chosen]; p.Memory != x.want || got.Keep != 0.95 || got.Minimal {
			t.Errorf("%+v: %g bytes keep %g", x, p.Memory, got.Keep)
		}
		if x.want == x.memory && (got.Insufficient != 0 || got.Simulations != 7) {
			t.Errorf("%+v: %+v describes the higher target", x, got)
		}
	}
}
