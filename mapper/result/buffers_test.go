package result

import (
	"slices"
	"testing"
)

// TestLastSizes: a buffer that grew several times is told once, from its first size to its last.
func TestLastSizes(t *testing.T) {
	b := MeasuredBuffers{Grown: []GrownBuffer{{Edge: "a", From: 2, To: 4}, {Edge: "b", From: 1, To: 2},
		{Edge: "a", From: 4, To: 8}}}
	want := []GrownBuffer{{Edge: "a", From: 2, To: 8}, {Edge: "b", From: 1, To: 2}}
	if got := b.Last(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestTailQuantile: a quantile is told where three samples lie above it.
func TestTailQuantile(t *testing.T) {
	d := &Distribution{Samples: 300, Elements: 300, Min: 1, Max: 2, Bins: []Bin{{From: 1, To: 2, Elements: 300}}}
	if q := d.TailQuantile(0.99); q == nil || *q != 1.99 {
		t.Errorf("got %v, want 1.99", q)
	}
	d.Samples = 299
	if q := d.TailQuantile(0.99); q != nil {
		t.Errorf("got %v of 299 samples", *q)
	}
	if d = nil; d.TailQuantile(0.5) != nil {
		t.Error("a quantile of nothing")
	}
}
