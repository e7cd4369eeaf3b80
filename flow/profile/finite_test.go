package profile

import (
	"io"
	"math"
	"strings"
	"testing"
)

// TestEncodeNames: a profile with a figure that is not a number is refused by the name of the figure.
func TestEncodeNames(t *testing.T) {
	p := &Profile{Kernels: []Kernel{{Block: "A"}, {Block: "B", Batch: map[string]Figure{"y": {Value: math.NaN()}}}}}
	err := p.Encode(io.Discard)
	if err == nil || !strings.Contains(err.Error(), "kernels[1].batch.y.value is not a finite number") {
		t.Errorf("the error is %v", err)
	}
	p.Kernels[1].Batch = nil
	if err := p.Encode(io.Discard); err != nil {
		t.Error(err)
	}
}
