package maxplus

import "math"

// Rate is something per s with its 95 % confidence interval, from the sums of parts of the run.
type Rate struct{ Value, Low, High float64 }

// Rate is how much there is per s after the warm-up, where each firing of station i counts weight[i];
// stations behind the end of weight count nothing. It is 0 where nothing has been marked.
func (r *Result) Rate(weight []float64) Rate {
	return r.rate(weight, func(m *Mark, i int) float64 { return float64(m.Firings[i]) })
}

// WorkRate is [Result.Rate] where each second of service of station i counts weight[i]. Where what a
// station does for each element is known on average, it is far surer than the count of firings.
func (r *Result) WorkRate(weight []float64) Rate {
	return r.rate(weight, func(m *Mark, i int) float64 { return m.Work[i] })
}

func (r *Result) rate(weight []float64, of func(*Mark, int) float64) Rate {
	n := len(r.Marks) - 1
	if n < 1 || !(r.Marks[n].Time > r.Marks[0].Time) {
		return Rate{}
	}
	count := func(m int) float64 {
		sum := 0.0
		for i, w := range weight {
			if w != 0 {
				sum += w * (of(&r.Marks[m], i) - of(&r.Marks[0], i))
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
