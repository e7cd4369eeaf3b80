package opponents

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"xopt/bench/arena"
)

// published is a chain on big and little cores with the printed periods of each scheduler.
type published struct {
	problem *arena.Problem
	unit    float64 // s
	printed map[string]string
}

// readPublished reads testdata/amp.txt.
func readPublished(t *testing.T) []published {
	t.Helper()
	f, err := os.Open("testdata/amp.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []published
	var name string
	var times [2][]string
	var flags string
	for s := bufio.NewScanner(f); s.Scan(); {
		word, rest, _ := strings.Cut(s.Text(), " ")
		switch word {
		case "chain":
			name = rest
		case "big":
			times[big] = strings.Fields(rest)
		case "little":
			times[little] = strings.Fields(rest)
		case "stateless":
			flags = rest
		case "cores":
			cores, periods, _ := strings.Cut(rest, ": ")
			all = append(all, newPublished(t, name+" "+cores, times, flags, periods))
		}
	}
	return all
}

func newPublished(t *testing.T, name string, times [2][]string, flags, periods string) published {
	t.Helper()
	unit := 1e-6
	if strings.HasPrefix(name, "dvbs2") {
		unit = 1e-8
	}
	p := &arena.Problem{Name: name, Kinds: []string{"little", "big"}}
	for i := range flags {
		task := arena.Task{Name: strconv.Itoa(i), Replicable: flags[i] == '1', Work: make([]float64, 2)}
		for k := range times {
			v, err := strconv.ParseFloat(times[k][i], 64)
			if err != nil {
				t.Fatal(err)
			}
			task.Work[1-k] = v * unit
		}
		p.Tasks = append(p.Tasks, task)
		if i > 0 {
			p.Edges = append(p.Edges, arena.Edge{From: i - 1, To: i})
		}
	}
	var many [2]int
	if _, err := fmt.Sscanf(name[strings.Index(name, " "):], "%d %d", &many[big], &many[little]); err != nil {
		t.Fatal(err)
	}
	for range many[big] {
		p.Cores = append(p.Cores, 1)
	}
	for range many[little] {
		p.Cores = append(p.Cores, 0)
	}
	printed := make(map[string]string)
	for i, s := range strings.Fields(periods) {
		printed[[]string{"HeRAD", "2CATAC", "FERTAC", "OTAC_big", "OTAC_little"}[i]] = s
	}
	return published{p, unit, printed}
}

// TestPublishedPeriods compares the periods with those that the authors printed, for all 184 instances and to all
// printed digits.
func TestPublishedPeriods(t *testing.T) {
	all := readPublished(t)
	if len(all) != 4+60*3 {
		t.Fatalf("got %d instances, want 184", len(all))
	}
	ctx := context.Background()
	methods := map[string]func(p *arena.Problem) (arena.Placement, error){
		"HeRAD":       func(p *arena.Problem) (arena.Placement, error) { return HeRAD(ctx, p, 0) },
		"FERTAC":      func(p *arena.Problem) (arena.Placement, error) { return FERTAC(ctx, p, 0) },
		"2CATAC":      func(p *arena.Problem) (arena.Placement, error) { return TwoCATAC(ctx, p, 0) },
		"OTAC_big":    func(p *arena.Problem) (arena.Placement, error) { return otacOn(ctx, p, big) },
		"OTAC_little": func(p *arena.Problem) (arena.Placement, error) { return otacOn(ctx, p, little) },
	}
	equal := make(map[string]int)
	for _, x := range all {
		for name, run := range methods {
			placement, err := run(x.problem)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, x.problem.Name, err)
			}
			check(t, x.problem, placement)
			got := fmt.Sprintf("%.6g", x.problem.Period(placement)/x.unit)
			if got == x.printed[name] {
				equal[name]++
			} else {
				t.Errorf("%s on %s: period %s, published %s", name, x.problem.Name, got, x.printed[name])
			}
		}
	}
	t.Logf("equal to the published period, of %d: %v", len(all), equal)
}

func otacOn(ctx context.Context, p *arena.Problem, kind int) (arena.Placement, error) {
	c, err := newChain(p)
	if err != nil {
		return nil, err
	}
	return c.placement(c.otac(ctx, kind)), nil
}
