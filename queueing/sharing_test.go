package queueing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// phase is a kind of element on a shared server, with Poisson arrivals and exponential service, both in elements/s.
type phase struct {
	class        int
	arrival, own float64
}

// simulateShared runs a server that share divides among the elements present, and returns the occupancy histogram of
// each class. Other service distributions are mixtures of phases in one class.
func simulateShared(phases []phase, share func(n []int, i int) float64, events int, seed uint64) [2][]float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	n := make([]int, len(phases))
	rates := make([]float64, 2*len(phases))
	var hist [2][]float64
	for c := range hist {
		hist[c] = make([]float64, 256)
	}
	span := 0.0
	for range events {
		sum := 0.0
		var class [2]int
		for i, p := range phases {
			class[p.class] += n[i]
			rates[2*i], rates[2*i+1] = p.arrival, 0
			if n[i] > 0 {
				rates[2*i+1] = p.own * share(n, i)
			}
			sum += rates[2*i] + rates[2*i+1]
		}
		dt := rng.ExpFloat64() / sum
		for c := range hist {
			hist[c][min(class[c], 255)] += dt
		}
		span += dt
		u := rng.Float64() * sum
		for i, r := range rates {
			if u -= r; u < 0 || i == len(rates)-1 {
				n[i/2] += 1 - 2*(i%2)
				break
			}
		}
	}
	for c := range hist {
		for k := range hist[c] {
			hist[c][k] /= span
		}
	}
	return hist
}

// perElement is processor sharing: all elements present have equal shares.
func perElement(n []int, i int) float64 {
	total := 0
	for _, k := range n {
		total += k
	}
	return float64(n[i]) / float64(total)
}

// perClass gives equal shares to all classes that have work. Each class must have one phase.
func perClass(n []int, _ int) float64 {
	busy := 0.0
	for _, k := range n {
		if k > 0 {
			busy++
		}
	}
	return 1 / busy
}

func mean(hist []float64) float64 {
	sum := 0.0
	for n, p := range hist {
		sum += float64(n) * p
	}
	return sum
}

// TestSharedUtilization simulates two classes on a processor-sharing server event by event, and compares the occupancy
// of each with the geometric law.
func TestSharedUtilization(t *testing.T) {
	for _, c := range []struct {
		name   string
		phases []phase
		loads  [2]float64
	}{
		{"exponential", []phase{{0, 0.3, 1}, {1, 0.2, 0.5}}, [2]float64{.3, .4}},
		// Class 0 is hyperexponential: 0.2 of the elements are 20 times as long. Its mean is 0.8·0.5 + 0.2·10 = 2.4,
		// cs² = 6.0.
		{"hyperexponential", []phase{{0, 0.08, 2}, {0, 0.02, 0.1}, {1, 0.4, 1}}, [2]float64{.24, .4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			hist := simulateShared(c.phases, perElement, 3_000_000, 5)
			for class, own := range c.loads {
				rho := must(SharedUtilization(own, c.loads[0]+c.loads[1]))
				for k := range 8 {
					if got, want := hist[class][k], (MM1{rho}).Probability(float64(k)); math.Abs(got-want) > 0.006 {
						t.Errorf("class %d: P[N = %d] is %g, want %g", class, k, got, want)
					}
				}
			}
		})
	}
}

// TestSharedPerClass checks a scheduler that shares among classes. The lighter class waits less than the product form
// predicts, the heavier more, and the total is the same if all are served equally fast.
func TestSharedPerClass(t *testing.T) {
	hist := simulateShared([]phase{{0, 0.2, 1}, {1, 0.6, 1}}, perClass, 3_000_000, 7)
	light, heavy := mean(hist[0]), mean(hist[1])
	if l := (MM1{must(SharedUtilization(.2, .8))}).MeanNumber(); !(light < 0.8*l) {
		t.Errorf("the light class holds %g, want well below %g", light, l)
	}
	if l := (MM1{must(SharedUtilization(.6, .8))}).MeanNumber(); !(heavy > l) {
		t.Errorf("the heavy class holds %g, want above %g", heavy, l)
	}
	near(t, "elements in all", light+heavy, MM1{.8}.MeanNumber(), 0.05)
}

// TestSharedMarginal sums the product form over the other class term by term.
func TestSharedMarginal(t *testing.T) {
	const a, b = 0.35, 0.45
	rho := must(SharedUtilization(a, a+b))
	for n := range 10 {
		sum, term := 0.0, (1-a-b)*math.Pow(a, float64(n))
		for m := 0; term > 1e-18; m++ {
			sum += term
			term *= b * float64(n+m+1) / float64(m+1)
		}
		near(t, fmt.Sprintf("P[N = %d]", n), MM1{rho}.Probability(float64(n)), sum, 1e-12)
	}
}

// SharedUtilization returns the ρ of the geometric occupancy of one class on a processor-sharing server:
//
//	own/(1-total+own)
//
// where own is the class's λ/μ and total the sum over all classes. It is the M/M/1 utilization with the service rate
// that the others leave ([SharedServiceRate]).
//
// It is exact for Poisson arrivals and a server that gives each of the n elements present 1/n of itself. Service times
// may then have any distribution and differ between classes (the product form of Baskett, Chandy, Muntz and Palacios
// 1975, type 2). With total U,
//
//	P[n₁, n₂, …] = (1-U) (n₁+n₂+…)! Π ρᵢⁿⁱ/nᵢ!
//
// whose sum over the other classes is geometric with ρᵢ/(1-U+ρᵢ). A scheduler that shares among the classes with work
// gives a lightly loaded class less delay than this, and a heavily loaded one more. The total is the same if all are
// served equally fast.
func SharedUtilization(own, total float64) (float64, error) {
	if err := check(total); err != nil {
		return 0, err
	}
	if !(own >= 0 && own <= total) {
		return 0, fmt.Errorf("own utilization %g of a total of %g: %w", own, total, ErrRange)
	}
	if own == 0 {
		return 0, nil
	}
	return own / (1 - total + own), nil
}
