package arena

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"
)

// The search reaches the best division of a layered graph into consecutive tasks. Its layers are joined by light edges
// and consist of many parallel tasks, so that no move of few tasks improves a mapping. On the other graph of this set,
// one light edge can be cut.
func TestLayers(t *testing.T) {
	for _, name := range []string{"ml.gpt2-tensor-sh12-decode", "ml.gpt2-tensor-sh12-prefill"} {
		i := load(t, "dagbench", name)[0]
		want, found := consecutive(&i.Problem), math.Inf(1)
		for limit := time.Second / 2; found > want*(1+1e-9) && limit <= 4*time.Second; limit *= 2 {
			f, err := i.Search(context.Background(), SearchOptions{Time: limit, Threads: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			found = f.Period
		}
		if found > want*(1+1e-9) {
			t.Errorf("%s: period %g s, the best division into consecutive tasks has %g s", name, found, want)
		}
	}
}

// consecutive returns the shortest period of all divisions of the tasks, in the order of the file, into consecutive
// sequences. All cores must be equal. For each period, dynamic programming finds the division with the fewest bytes.
func consecutive(p *Problem) float64 {
	n := len(p.Tasks)
	load, into := make([][]float64, n), make([][]float64, n) // of tasks from to to; bytes from earlier tasks
	var periods []float64
	for from := range n {
		work, bytes := 0.0, 0.0
		for to := from; to < n; to++ {
			work += p.Tasks[to].Work[0]
			for _, e := range p.Edges {
				if e.To == to && e.From < from {
					bytes += e.Bytes
				}
			}
			load[from], into[from] = append(load[from], work), append(into[from], bytes)
			periods = append(periods, work)
		}
	}
	slices.Sort(periods)
	best := math.Inf(1)
	for len(periods) > 0 {
		middle := len(periods) / 2
		bytes := fewestBytes(load, into, len(p.Cores), periods[middle])
		if bus := bytes / p.Bus; bus > periods[middle] {
			best = min(best, bus)
			periods = periods[middle+1:]
		} else {
			best = min(best, periods[middle])
			periods = periods[:middle]
		}
	}
	return best
}

// fewestBytes returns the fewest bytes between sequences with loads of at most period; +Inf if there are not enough
// cores.
func fewestBytes(load, into [][]float64, cores int, period float64) float64 {
	n := len(load)
	fewest := make([]float64, n+1) // by number of tasks
	for j := 1; j <= n; j++ {
		fewest[j] = math.Inf(1)
	}
	result := math.Inf(1)
	for range cores {
		next := make([]float64, n+1)
		for j := range next {
			next[j] = math.Inf(1)
			for i := range j {
				if load[i][j-1-i] <= period {
					next[j] = min(next[j], fewest[i]+into[i][j-1-i])
				}
			}
		}
		fewest = next
		result = min(result, fewest[n])
	}
	return result
}
