package validate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestKendall: without equal values it is gonum's; with some it does not depend on the order of the
// list, as gonum's does.
func TestKendall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 30; n++ {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = random.Float64(), random.Float64()
		}
		if got, want := Kendall(x, y), stat.Kendall(x, y, nil); math.Abs(got-want) > 1e-15 {
			t.Errorf("of %d pairs it is %g, want %g", n, got, want)
		}
	}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{nil, nil, 0}, {[]float64{1}, []float64{2}, 0},
		{[]float64{1, 1}, []float64{2, 3}, 0}, {[]float64{1, 2}, []float64{3, 3}, 0},
		{[]float64{1, 1}, []float64{2, 2}, 0},
		{[]float64{1, 1, 2}, []float64{5, 4, 9}, 2. / 3}, {[]float64{1, 1, 2}, []float64{4, 5, 9}, 2. / 3},
	} {
		if got := Kendall(c.x, c.y); got != c.want {
			t.Errorf("of %v and %v it is %g, want %g", c.x, c.y, got, c.want)
		}
	}
	if a, b := stat.Kendall([]float64{1, 1, 2}, []float64{5, 4, 9}, nil), stat.Kendall([]float64{1, 1, 2},
		[]float64{4, 5, 9}, nil); a == b {
		t.Errorf("gonum's is %g whatever the order of equal values: use it", a)
	}
}
