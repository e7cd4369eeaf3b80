package report_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestLoadsAddUp checks reports of random mappings: the rows of each time-shared part sum to its utilization, column
// by column, and the terminal shows the same as the page.
func TestLoadsAddUp(t *testing.T) {
	for _, c := range []struct {
		example string
		files   []string
	}{
		{"beard-fig7", []string{"app.x", "arch.x"}}, {"gayen-veritas", []string{"pipes2.x", "arch_slow.x"}},
		{"beard-jpeg", []string{"app.x", "arch.x"}},
	} {
		for _, sharing := range []string{"conserving", "equal"} {
			x := flowtest.X{Dir: filepath.Join(testkit.Root(t), "configs", "examples", c.example), Files: c.files}
			d := x.Design(t, design.Options{Sharing: sharing})
			for r := range d.Problem.Architecture.Resources {
				if s := &d.Problem.Architecture.Resources[r].Sharing; s.Rule != flow.AreaOnly {
					s.SwitchCost = 1e-6
				}
			}
			for seed := range uint64(5) {
				m, err := mapper.RandomWalk(d.Problem, d.Constraints, rand.New(rand.NewPCG(seed, 1)))
				if err != nil {
					t.Fatal(err)
				}
				c, err := predict.Mapping(context.Background(), d, m, flow.Fast{}, "m")
				if err != nil {
					t.Fatal(err)
				}
				checkLoads(t, c)
				var out bytes.Buffer
				r := predict.Describe(d)
				r.Candidates = []result.Candidate{*c}
				if err := text.Write(&out, report.Terminal(r), text.Style{Full: true}); err != nil {
					t.Fatal(err)
				}
				checkInPlace(t, c, report.Terminal(r))
				columns, _ := report.Load(c)
				for _, name := range columns {
					if len(columns) > 1 && !strings.Contains(out.String(), name) {
						t.Errorf("%s: the terminal has no column %q", d.Program.Top, name)
					}
				}
			}
		}
	}
}

func checkLoads(t *testing.T, c *result.Candidate) {
	t.Helper()
	utilization := make(map[string]result.Share)
	for _, x := range append(append([]result.Share{}, c.Resources...), c.Links...) {
		utilization[x.Name] = x
	}
	sum := make(map[string]float64)
	_, rows := report.Load(c)
	for _, r := range rows {
		total := 0.0
		for _, x := range r.Parts {
			total += float64(x)
		}
		if math.Abs(total-float64(r.Total)) > 1e-12 {
			t.Errorf("the parts of %s on %s add up to %g of %g", r.Of, r.On, total, r.Total)
		}
		if r.Of != "" {
			sum[r.On] += total
		}
	}
	for name, x := range utilization {
		switch {
		case x.Sharing == flow.AreaOnly.String():
			if sum[name] < float64(x.Utilization)-1e-9 {
				t.Errorf("kernels on %s are busy for %g in all, one of them for %g", name, sum[name], x.Utilization)
			}
		case math.Abs(sum[name]-float64(x.Utilization)) > 1e-9:
			t.Errorf("the rows of %s add up to %g of %g", name, sum[name], x.Utilization)
		}
	}
}

// checkInPlace checks that each kernel's time per byte is its utilization over its input, and that the displayed
// parts sum to the displayed total.
func checkInPlace(t *testing.T, c *result.Candidate, parts []report.Part) {
	t.Helper()
	_, rows := report.InPlaceOf(c)
	of := make(map[string]*result.Station)
	for i := range c.Stations {
		if s := &c.Stations[i]; !s.IsLink {
			of[s.Name] = s
		}
	}
	for i := range rows {
		r, s := &rows[i], of[rows[i].Kernel]
		if used := float64(s.Share / s.ArrivalRate); math.Abs(used-r.Total) > 1e-9*used {
			t.Errorf("%s costs %g s/B, and uses its core for %g", r.Kernel, r.Total, used)
		}
	}
	for _, p := range parts {
		if p.Table == nil || !strings.HasPrefix(p.Table.ID, "inplace") {
			continue
		}
		if len(p.Table.Rows) != len(rows) {
			t.Errorf("%s has %d rows for %d kernels", p.Table.ID, len(p.Table.Rows), len(rows))
		}
		for _, r := range p.Table.Rows {
			shown, value, last := 0.0, 0.0, r.Cells[len(r.Cells)-1]
			for _, x := range r.Cells[2 : len(r.Cells)-1] {
				if x.Text == "-" {
					continue
				}
				v, err := strconv.ParseFloat(x.Text, 64)
				if err != nil {
					t.Fatal(err)
				}
				shown, value = shown+v, value+x.Value
			}
			if total, err := strconv.ParseFloat(last.Text, 64); err != nil || math.Abs(total-shown) > 1e-9*total ||
				math.Abs(last.Value-value) > 1e-9*value {
				t.Errorf("the parts of %s in %s add up to %g, %g shown, of %g, %s", r.Cells[0].Text, p.Table.ID, value,
					shown, last.Value, last.Text)
			}
		}
	}
}
