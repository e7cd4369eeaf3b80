package mapper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"xopt/flow"
	"xopt/internal/testkit"
)

// timeless removes from a result what differs between runs: times and the number of runs.
func timeless(r *Result) *Result {
	x := *r
	x.Elapsed, x.Runs, x.Certificate = 0, 0, nil // a certificate depends on the remaining time
	x.History, x.Annealed = nil, Annealed{}
	for _, p := range r.History {
		p.Elapsed = 0
		x.History = append(x.History, p)
	}
	return &x
}

// unlike lists the differences of two results.
func unlike(got, want *Result) string {
	text := ""
	a, b := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			text += fmt.Sprintf("%s is %.3000s and not %.3000s; ", a.Type().Field(i).Name, fmt.Sprintf("%+v", x),
				fmt.Sprintf("%+v", y))
		}
	}
	for i := range min(len(got.Candidates), len(want.Candidates)) {
		if x, y := &got.Candidates[i], &want.Candidates[i]; !reflect.DeepEqual(x, y) {
			text += fmt.Sprintf("\ncandidate %d: %+v %q, and not %+v %q", i+1, x.Mapping, x.key, y.Mapping, y.key)
		}
	}
	return text
}

// interrupted runs a search, interrupts it after the given number of context checks, and resumes it from its
// serialized state, until it ends.
func interrupted(t *testing.T, p *flow.Problem, o Options, looks int64) *Result {
	t.Helper()
	for run := 1; ; run++ {
		var state []byte
		o.Checkpoint = func(s *State) {
			var err error
			if state, err = json.Marshal(s); err != nil {
				t.Fatal(err)
			}
		}
		c := testkit.NewCountdown(t, looks)
		r, err := Search(c, p, nil, o)
		if err != nil && !errors.Is(err, flow.ErrInfeasible) {
			t.Fatal(err)
		}
		if err == nil && r.Status != Interrupted {
			if r.Runs != run {
				t.Errorf("%d runs are reported, and there were %d", r.Runs, run)
			}
			return r
		}
		if run > 200 {
			t.Fatal("it does not get on")
		}
		if state != nil {
			o.Resume = new(State)
			if err := json.Unmarshal(state, o.Resume); err != nil {
				t.Fatal(err)
			}
			if o.Resume.Runs != run {
				run = o.Resume.Runs
			}
		}
		looks += looks/2 + 3
	}
}

// TestResumeIsTheSame interrupts searches by every method at many points. The resumed searches must end like
// uninterrupted ones.
func TestResumeIsTheSame(t *testing.T) {
	resumed, evals, fewest := 0, uint64(60_000), 40
	if testing.Short() {
		evals, fewest = 20_000, 30
	}
	for m := Exhaustive; int(m) < len(Methods()); m++ {
		for seed := range seeds(2) {
			for _, threads := range []int{1, 2} {
				t.Run(fmt.Sprintf("%v/%d/%d", m, seed, threads), func(t *testing.T) {
					p := oneSource(t, seed, 12, 4)
					o := Options{Method: m, Seed: seed, Threads: threads, MaxEvals: evals, ProofNodes: 1000}
					if m == Exhaustive {
						p = oneSource(t, seed, 7, 4)
					}
					if m == Mixed || m == Exact {
						o.ProofNodes = 0
					}
					for _, several := range []bool{false, true} {
						if several && m != Anneal && m != Mixed && m != Climb {
							continue
						}
						if several {
							o.Goal = Goal{Objectives: []Objective{Throughput, Cores}}
						}
						want, err := Search(context.Background(), p, nil, o)
						if err != nil {
							t.Fatal(err)
						}
						for _, looks := range []int64{1, 7, 40} {
							got := interrupted(t, p, o, looks)
							if got.Runs > 1 {
								resumed++
							}
							if a, b := timeless(want), timeless(got); !reflect.DeepEqual(a, b) {
								t.Errorf("interrupted after %d looks, several objectives %v, %d runs: %s", looks,
									several, got.Runs, unlike(b, a))
							}
						}
					}
				})
			}
		}
	}
	if resumed < fewest {
		t.Errorf("only %d searches were resumed: the test has lost its power", resumed)
	}
}

// TestResumeCoarse interrupts searches of a problem that is large enough for coarse searches.
func TestResumeCoarse(t *testing.T) {
	p := busProblem(t, 1, coarseUnits+5, 5)
	o := Options{Method: Anneal, Seed: 1, MaxEvals: 120_000, ProofNodes: -1}
	want, err := Search(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []int64{1, 9} {
		got := interrupted(t, p, o, looks)
		if a, b := timeless(want), timeless(got); got.Runs < 2 || !reflect.DeepEqual(a, b) {
			t.Errorf("interrupted after %d looks, %d runs: %s", looks, got.Runs, unlike(b, a))
		}
	}
}

// TestResumeFurther resumes a search that ended at its limit of evaluations with a higher limit. The result must be
// that of a search with the higher limit.
func TestResumeFurther(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(5, 3)), 30, 6)
	for _, threads := range []int{1, 2} {
		o := Options{Method: Mixed, Seed: 3, Threads: threads, MaxEvals: 400_000}
		want, err := Search(context.Background(), p, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []uint64{1000, 90_000, 300_000} {
			o.MaxEvals, o.Resume = first, nil
			var state *State
			o.Checkpoint = func(s *State) { state = s }
			if _, err := Search(context.Background(), p, nil, o); err != nil {
				t.Fatal(err)
			}
			o.MaxEvals, o.Resume = 400_000, state
			got, err := Search(context.Background(), p, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := timeless(want), timeless(got); !reflect.DeepEqual(a, b) {
				t.Errorf("%d threads, %d evaluations first: %s", threads, first, unlike(b, a))
			}
		}
	}
}

// TestResumeBranches checks that branch and bound continues where it stopped, and visits no partial mapping twice.
func TestResumeBranches(t *testing.T) {
	resumesBranches(t, severalSources(t, rand.New(rand.NewPCG(4, 4)), 24, 5))
	if !testing.Short() { // the full ring
		resumesBranches(t, oneSource(t, 4, 40, 8))
	}
}

func resumesBranches(t *testing.T, p *flow.Problem) {
	t.Helper()
	const all = 400_000
	o := Options{Method: Exact, Seed: 1, MaxEvals: all}
	want, err := Search(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if want.Status != EvalLimit || want.ProofNodes < all/2 {
		t.Fatalf("%s after %d nodes: the test has lost its power", want.Status, want.ProofNodes)
	}
	for _, first := range []uint64{30_000, 100_000, 300_000} {
		var state *State
		o.MaxEvals, o.Resume, o.Checkpoint = first, nil, func(s *State) { state = s }
		if _, err := Search(context.Background(), p, nil, o); err != nil {
			t.Fatal(err)
		}
		o.MaxEvals, o.Resume, o.Checkpoint = all, state, nil
		got, err := Search(context.Background(), p, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := timeless(want), timeless(got); !reflect.DeepEqual(a, b) {
			t.Errorf("%d evaluations first: %s", first, unlike(b, a))
		}
	}
}

// TestResumeRefused checks states from which a search cannot resume.
func TestResumeRefused(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(5, 3)), 30, 6)
	var state *State
	o := Options{Method: Mixed, Seed: 3, Threads: 2, MaxEvals: 50_000, Checkpoint: func(s *State) { state = s }}
	if _, err := Search(context.Background(), p, nil, o); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*State, *Options){
		"another seed":   func(_ *State, o *Options) { o.Seed = 4 },
		"another method": func(_ *State, o *Options) { o.Method = Anneal },
		"other threads":  func(_ *State, o *Options) { o.Threads = 1 },
		"another top":    func(_ *State, o *Options) { o.Top = 7 },
		"no chains":      func(s *State, _ *Options) { s.Chains = nil },
		"a place":        func(s *State, _ *Options) { s.Chains[0].Place[3] = 99 },
		"a number":       func(s *State, _ *Options) { s.Chains[1].Board = []int{77} },
		"a round":        func(s *State, _ *Options) { s.Chains[1].Rounds = []int{-5} },
		"a route":        func(s *State, _ *Options) { s.Found[0].Route[0] = []int{99} },
		"a throughput":   func(s *State, _ *Options) { s.Found[0].Throughput *= 2 },
		"a mapping":      func(s *State, _ *Options) { s.Found[0].Place = nil },
		"measures":       func(s *State, _ *Options) { s.Found[0].Measures = nil },
		"choices":        func(s *State, _ *Options) { s.Chains[0].Choice = []int{1} },
		"a choice":       func(s *State, _ *Options) { s.Chains[0].Choice[0] = 9 },
		"random numbers": func(s *State, _ *Options) { s.Chains[0].Random = []byte("x") },
		"a course":       func(s *State, _ *Options) { s.Chains[0].Course.Unit = -1 },
		"a stage":        func(s *State, _ *Options) { s.Chains[1].Course.Stage = stageProve },
		"a proof's prices": func(s *State, _ *Options) {
			s.Chains[0].Course.Proof = &proofCourse{Begun: true,
				Main: &treeState{}}
		},
	} {
		text, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		bad := new(State)
		if err := json.Unmarshal(text, bad); err != nil {
			t.Fatal(err)
		}
		q := o
		q.Checkpoint, q.Resume = nil, bad
		change(bad, &q)
		var wrong *StateError
		if _, err := Search(context.Background(), p, nil, q); !errors.As(err, &wrong) ||
			!errors.Is(err, flow.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
