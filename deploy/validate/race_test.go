package validate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"xopt/flow"
	"xopt/mapper/result"
)

// simulatedRace returns a race of mappings with these throughputs and a relative noise, whose runs last 750 ms.
func simulatedRace(rates []float64, noise float64, limit time.Duration, seed uint64) *race {
	rng, now := rand.New(rand.NewPCG(seed, 1)), time.Duration(0)
	r := &race{cases: make([]Case, len(rates)), limit: limit, elapsed: func() time.Duration { return now },
		ended: func() bool { return false }}
	r.order = func(round int) []int { return rand.New(rand.NewPCG(seed, uint64(round))).Perm(len(rates)) }
	r.run = func(i int) error {
		now += 750 * time.Millisecond
		r.cases[i].Runs = append(r.cases[i].Runs, rates[i]*math.Exp(noise*rng.NormFloat64()))
		return nil
	}
	return r
}

// fastest returns the mapping with the highest median.
func (r *race) fastest() int {
	best := 0
	for i := range r.cases {
		if median(r.cases[i].Runs) > median(r.cases[best].Runs) {
			best = i
		}
	}
	return best
}

// TestRaceFindsTheBest checks with simulated runs of 1 % noise that a race of 30 s finds the best of six mappings with
// a probability of at least 95 %, and that it ends in time. Slower mappings must leave the race early, the best not.
func TestRaceFindsTheBest(t *testing.T) {
	rates := []float64{97, 95, 100, 90, 70, 60}
	const races, best = 400, 2
	found, early, lost := 0, 0, 0
	for seed := range uint64(races) {
		r := simulatedRace(rates, 0.01, 30*time.Second, seed)
		if err := r.complete(); err != nil {
			t.Fatal(err)
		}
		if spent := r.elapsed(); spent > r.limit {
			t.Fatalf("seed %d: the race lasted %v of %v", seed, spent, r.limit)
		}
		if x := r.fastest(); x == best {
			found++
		} else if regret := 1 - rates[x]/rates[best]; regret > 0.03 {
			t.Errorf("seed %d: mapping %d won, which is %.1f %% slower", seed, x, 100*regret)
		}
		if r.left[best] > 0 {
			lost++
		}
		if n := len(r.cases[5].Runs); r.left[5] != n {
			t.Fatalf("seed %d: a mapping that left after round %d ran %d times", seed, r.left[5], n)
		}
		if r.left[5] > 0 && r.left[5] <= 3 && len(r.cases[best].Runs) > len(r.cases[5].Runs) {
			early++
		}
	}
	if found < races*95/100 || lost > races/100 || early < races*95/100 {
		t.Errorf("of %d races, %d found the best, %d lost it, and in %d the slowest left early", races, found, lost,
			early)
	}
}

// TestRaceRegret checks the mean loss of races whose mappings are nearly alike in noisy runs.
func TestRaceRegret(t *testing.T) {
	rates, sum := []float64{99.5, 100, 99, 98.5, 98, 97}, 0.0
	const races = 400
	for seed := range uint64(races) {
		r := simulatedRace(rates, 0.03, 30*time.Second, seed)
		if err := r.complete(); err != nil {
			t.Fatal(err)
		}
		sum += 1 - rates[r.fastest()]/100
	}
	if mean := sum / races; mean > 0.01 {
		t.Errorf("mean regret %.2f %%, want at most 1 %%", 100*mean)
	}
}

// TestRaceEnds checks when a race ends: with one remaining mapping, when no further run fits, when a mapping fails, and
// after an interruption.
func TestRaceEnds(t *testing.T) {
	r := simulatedRace([]float64{100, 50}, 0.001, time.Hour, 1)
	if err := r.complete(); err != nil || r.rounds != minRounds || r.left[1] != separatingRounds {
		t.Errorf("a clear winner: %d rounds, left %v, error %v", r.rounds, r.left, err)
	}
	r = simulatedRace([]float64{100}, 0.01, time.Hour, 1)
	if err := r.complete(); err != nil || r.rounds != minRounds {
		t.Errorf("one mapping: %d rounds, error %v", r.rounds, err)
	}
	r = simulatedRace([]float64{100, 100, 100}, 0.01, 2*time.Second, 1)
	if err := r.complete(); err != nil || r.rounds != 0 || r.runs != 2 {
		t.Errorf("2 s: %d rounds of %d runs, error %v", r.rounds, r.runs, err)
	}
	r = simulatedRace([]float64{100, 100, 100}, 0.01, 20*time.Second, 1)
	run := r.run
	r.run = func(i int) error {
		if i == 1 {
			r.cases[i].Fail = "a kernel failed"
			return nil
		}
		return run(i)
	}
	if err := r.complete(); err != nil || len(r.cases[1].Runs) != 0 || r.rounds < 10 {
		t.Errorf("a failed mapping: %d rounds, error %v", r.rounds, err)
	}
	r = simulatedRace([]float64{100, 100}, 0.01, time.Hour, 1)
	r.ended = func() bool { return r.runs == 5 }
	if err := r.complete(); err != nil || r.rounds != 2 || r.runs != 5 {
		t.Errorf("interrupted: %d rounds of %d runs, error %v", r.rounds, r.runs, err)
	}
	broken := errors.New("no memory")
	r.ended, r.run = func() bool { return false }, func(int) error { return broken }
	if err := r.complete(); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

// racedOf returns a race that ended with these runs of mappings, which were predicted in this order.
func racedOf(rounds int, cases ...Case) *Raced {
	x := &Raced{Cases: cases, Race: result.Race{Rounds: rounds}}
	for i := range cases {
		c := &cases[i]
		c.Mapping, c.Predicted, c.Measured = &flow.Mapping{Place: []int{i}}, 100-float64(i), median(c.Runs)
		x.Racers = append(x.Racers, Racer{Choice{Name: c.Name, Mapping: c.Mapping}, "1 core"})
		x.Race.Racers = append(x.Race.Racers, result.Racer{Structure: "1 core"})
	}
	repeat(cases)
	x.decide(nil)
	return x
}

// runsNear returns three runs with a spread of about 1 %.
func runsNear(rate float64) []float64 { return []float64{0.99 * rate, rate, 1.01 * rate} }

// TestRaceOrder checks the order of the mappings after a race. Mappings whose kernels failed have none. Disturbed and
// incomplete races are undecided.
func TestRaceOrder(t *testing.T) {
	crowded := []bool{true, true, true}
	disturbed := func(rate float64) Case {
		return Case{Runs: runsNear(rate), Crowded: crowded, Disturbed: 3, Others: 1.5}
	}
	for _, of := range []struct {
		name      string
		x         *Raced
		order     []int
		alike     []int
		undecided result.Unknown
	}{
		{"another wins", racedOf(3, Case{Runs: runsNear(80)}, Case{Runs: runsNear(100)}, Case{Runs: runsNear(60)}),
			[]int{1, 0, 2}, []int{1}, ""},
		{"a tie", racedOf(3, Case{Runs: runsNear(100)}, Case{Runs: runsNear(100.1)}), []int{1, 0}, []int{1, 0}, ""},
		{"a failure", racedOf(3, Case{Fail: "top.a crashed", Faulted: true}, Case{Runs: runsNear(94)},
			Case{Runs: runsNear(95)}), []int{2, 1}, []int{2, 1}, ""},
		{"one left", racedOf(3, Case{Fail: "top.a crashed", Faulted: true}, Case{Runs: runsNear(90)}), []int{1},
			[]int{1}, ""},
		{"all failed", racedOf(0, Case{Fail: "top.a crashed", Faulted: true}), nil, nil, result.NoneRan},
		{"disturbed", racedOf(3, disturbed(50), disturbed(100)), nil, nil, result.MostDisturbed},
		{"one round", racedOf(1, Case{Runs: []float64{50}}, Case{Runs: []float64{100}}), nil, nil,
			result.FewRounds},
	} {
		if got := of.x.Race.Order; !slices.Equal(got, of.order) {
			t.Errorf("%s: order %v, want %v", of.name, got, of.order)
		}
		if r := of.x.Race; r.Undecided != of.undecided || (r.Winner < 0) != (of.undecided != "") {
			t.Errorf("%s: undecided %q, winner %d", of.name, r.Undecided, r.Winner)
		}
		if got := of.x.Race.Alike; !slices.Equal(got, of.alike) {
			t.Errorf("%s: alike %v, want %v", of.name, got, of.alike)
		}
	}
	x := racedOf(3, Case{Runs: runsNear(80)}, Case{Runs: runsNear(100)})
	if !x.Ran(x.Cases[0].Mapping) || (*Raced)(nil).Ran(x.Cases[0].Mapping) || x.Header(x.Cases[0].Mapping) == "" ||
		x.Header(nil) != "" {
		t.Error("the mappings that ran are wrong")
	}
}

// TestRaceReport checks that the result refers to the candidates by their final numbers.
func TestRaceReport(t *testing.T) {
	x := racedOf(3, Case{Name: "predicted 1", Runs: runsNear(80)}, Case{Name: "predicted 2", Runs: runsNear(100)},
		Case{Name: "one core", Fail: "top.a crashed", Faulted: true})
	r := &result.Result{Candidates: []result.Candidate{{Name: "1", Throughput: 99}, {Name: "2", Throughput: 100}}}
	x.Report(r, []*flow.Mapping{x.Cases[1].Mapping, x.Cases[0].Mapping})
	v := r.Validation
	if v == nil || v.Race == nil || v.Race.Winner != 1 || v.Cases[1].Candidate != 0 || v.Cases[1].Name != "1" ||
		v.Cases[0].Candidate != 1 || v.Cases[2].Candidate != -1 {
		t.Errorf("%+v", v)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].ID != "race-fault" {
		t.Errorf("warnings %v", r.Warnings)
	}
	if r.Predicted() != &r.Candidates[1] {
		t.Error("the bound must be compared with the highest prediction")
	}
	(*Raced)(nil).Report(r, nil)
}

// TestRaceSize checks that a short race has fewer mappings and shorter runs.
func TestRaceSize(t *testing.T) {
	for _, of := range []struct {
		limit, window time.Duration
		size          int
	}{{30 * time.Second, 500 * time.Millisecond, 6}, {10 * time.Second, 500 * time.Millisecond, 4},
		{4500 * time.Millisecond, 500 * time.Millisecond, 2}, {1800 * time.Millisecond, 200 * time.Millisecond, 2},
		{time.Millisecond, 10 * time.Millisecond, 2}} {
		if size, window := RaceSize(of.limit), raceWindow(of.limit); size != of.size || window != of.window {
			t.Errorf("%v: %d mappings in windows of %v, want %d and %v", of.limit, size, window, of.size, of.window)
		}
	}
}
