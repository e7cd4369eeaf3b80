package calibrate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns the true costs of kernels, and measurements of them with the given errors.
func drawn(random *rand.Rand, errs []float64) (truth []float64, list []estimated) {
	weights := [2]float64{0.2 * math.Exp(random.NormFloat64()), 0.3 * math.Exp(random.NormFloat64())}
	for _, err := range errs {
		x := estimated{scales: [2]float64{20, 0.1 * math.Exp2(float64(random.IntN(12)))}}
		center := weights[0]*x.scales[0] + weights[1]*x.scales[1]
		cost := center * math.Exp(0.6*random.NormFloat64())
		x.err = err * center
		x.value = cost + x.err*random.NormFloat64()
		truth, list = append(truth, cost), append(list, x)
	}
	return truth, list
}

// TestTogether: over drawn applications, the intervals of costs that are estimated together contain the truth, two
// calibrations differ less than two measurements do, and the errors are smaller than those of the thresholded
// measurements, which were in use before.
func TestTogether(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	errs := []float64{0.02, 0.1, 0.3, 1, 1, 3, 3, 10}
	p := &movingPrior
	inside, n := 0, 0
	var combined, measured, change, changeMeasured []float64
	threshold := func(x *estimated) float64 {
		if x.value < 1.96*x.err {
			return 0
		}
		return x.value
	}
	for range 60 {
		truth, list := drawn(random, errs)
		again := slices.Clone(list)
		for i := range again {
			again[i].value = truth[i] + again[i].err*random.NormFloat64()
		}
		first, second := p.together(list), p.together(again)
		for i, x := range first {
			if n++; x.low <= truth[i] && truth[i] <= x.high {
				inside++
			}
			if !(0 < x.low && x.low <= x.median && x.median <= x.high) {
				t.Fatalf("%+v of %+v", x, list[i])
			}
			combined = append(combined, math.Abs(x.median/truth[i]-1))
			measured = append(measured, math.Abs(threshold(&list[i])/truth[i]-1))
			change = append(change, math.Abs(x.median-second[i].median)/truth[i])
			changeMeasured = append(changeMeasured, math.Abs(threshold(&list[i])-threshold(&again[i]))/truth[i])
		}
	}
	if part := float64(inside) / float64(n); part < 0.9 {
		t.Errorf("%.3g of the intervals contain the cost, want 0.95", part)
	}
	mean := func(list []float64) (sum float64) {
		for _, x := range list {
			sum += x / float64(len(list))
		}
		return sum
	}
	t.Logf("coverage %.3g; error %.3g, of thresholded measurements %.3g; repeated %.3g and %.3g",
		float64(inside)/float64(n), mean(combined), mean(measured), mean(change), mean(changeMeasured))
	if mean(combined) > 0.6*mean(measured) || mean(change) > 0.5*mean(changeMeasured) {
		t.Error("costs that are estimated together are not much better")
	}
}
