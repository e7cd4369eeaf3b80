package xlang

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMeetings compares with an enumeration of all batches until both rounds start again together.
func TestMeetings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() (turns []int) {
		for range 1 + rng.IntN(4) {
			turns = append(turns, 1+rng.IntN(7))
		}
		return turns
	}
	for range 200 {
		a, b := draw(), draw()
		from, to := Round(a), Round(b)
		got, want := Meetings(from, to, len(a), len(b)), make([]float64, len(a)*len(b))
		n := len(from) * len(to)
		for batch := range n {
			want[from[batch%len(from)]*len(b)+to[batch%len(to)]] += 1 / float64(n)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Fatalf("turns %v and %v: %v, want %v", a, b, got, want)
			}
		}
	}
	long := Round([]int{4095, 1})
	if got := Meetings(long, Round([]int{1, 4092}), 2, 2); math.Abs(got[3]-1./4096*4092/4093) > 1e-12 {
		t.Errorf("long rounds: %v", got)
	}
}
