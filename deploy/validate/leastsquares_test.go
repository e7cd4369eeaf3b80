package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLeftOut: the error of an omitted row equals that of a fit without it.
func TestLeftOut(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var rows [][]float64
	var y []float64
	for range 9 {
		x := []float64{1, random.Float64(), random.Float64()}
		rows, y = append(rows, x), append(y, 0.3*x[0]-0.2*x[1]+0.1*random.NormFloat64())
	}
	f, ok := leastSquares(rows, y)
	if !ok {
		t.Fatal("no fit")
	}
	want := 0.0
	for i := range rows {
		less, ok := leastSquares(slices.Delete(slices.Clone(rows), i, i+1), slices.Delete(slices.Clone(y), i, i+1))
		if !ok {
			t.Fatal("no fit without a row")
		}
		rest := y[i]
		for a, x := range rows[i] {
			rest -= x * less.coefficient[a]
		}
		want += rest * rest
	}
	if math.Abs(f.leftOut/want-1) > 1e-9 {
		t.Errorf("left out: %g, want %g", f.leftOut, want)
	}
}

// TestBestOf: the columns that generated the rows are found. Collinear columns, and those that depend on one
// row, are not. Of two equivalent columns the first is chosen.
func TestBestOf(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	rows := func(make func(i int) []float64) (list [][]float64) {
		for i := range 12 {
			list = append(list, make(i))
		}
		return list
	}
	of := func(rows [][]float64, truth ...float64) (y []float64) {
		for _, x := range rows {
			v := 0.005 * random.NormFloat64()
			for a := range truth {
				v += truth[a] * x[a]
			}
			y = append(y, v)
		}
		return y
	}
	half := rows(func(i int) []float64 { return []float64{1, float64(i % 2), float64(i / 6)} })
	alike := rows(func(int) []float64 { return []float64{1, 1} })
	once := rows(func(i int) []float64 { return []float64{float64(i / 11)} })
	for name, c := range map[string]struct {
		rows [][]float64
		y    []float64
		want []int
	}{
		"one":      {half, of(half, 0, 0.3), []int{1}},
		"two":      {half, of(half, 0.3, 0, 0.2), []int{0, 2}},
		"all":      {half, of(half, 0.1, 0.3, 0.2), []int{0, 1, 2}},
		"none":     {half, of(half), nil},
		"the same": {alike, of(alike, 0.1, 0.1), []int{0}},
		"of one":   {once, of(once, 0.5), nil},
		"no rows":  {nil, nil, nil},
	} {
		if got, _ := bestOf(c.rows, c.y, 0.01); !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %v, want %v", name, got, c.want)
		}
	}
}
