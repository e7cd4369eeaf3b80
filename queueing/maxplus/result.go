package maxplus

import "math"

// Rate is something per s with its 95 % confidence interval, from the sums of parts of the run.
type Rate struct{ Value, Low, High float64 }

// Rate is how much there is per s after the warm-up, where each firing of station i counts weight[i];
// stations behind the end of weight count nothing. It is 0 where nothing has been marked.
func (r *Result) Rate(weight []float64) Rate {
	n := len(r.Marks) - 1
	if n < 1 || !(r.Marks[n].Time > r.Marks[0].Time) {
		return Rate{}
	}
	count := func(m int) float64 {
		sum := 0.0
		for i, w := range weight {
			if w != 0 {
				sum += w * float64(r.Marks[m].Firings[i]-r.Marks[0].Firings[i])
			}
		}
		return sum
	}
	total := r.Marks[n].Time - r.Marks[0].Time
	rate := count(n) / total
	// The rate is a ratio of sums: its variance is that of what each part has too much.
	squares, before := 0.0, 0.0
	for m := 1; m <= n; m++ {
		now := count(m)
		over := now - before - rate*(r.Marks[m].Time-r.Marks[m-1].Time)
		squares += over * over
		before = now
	}
	half := math.Inf(1)
	if n > 1 {
		half = student * math.Sqrt(squares/float64(n-1)*float64(n)) / total
	}
	return Rate{rate, max(0, rate-half), rate + half}
}

// student is the quantile of Student's t for 95 % and marksPerRun - 1 degrees of freedom.
const student = 2.045
