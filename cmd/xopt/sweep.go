package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/report"
	"xopt/internal/units"
	"xopt/mapper"
)

// sweepFlags are what only sweep has.
type sweepFlags struct {
	vary   []string
	points int
	csv    string
}

// sweepCommand searches at every point of a range of configs.
func (a *app) sweepCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sweep APP.x ARCH.x --vary NAME=FROM..TO",
		Short: "find the best mapping at each point of a range, and where it changes",
		Long: `sweep searches at each point of a range: a config is set to values between two bounds (in
equal steps of the logarithm), or to each of several values. It prints the best throughput,
what limits it, and where another mapping becomes the best. With several --vary it searches
all combinations. The name of a resource alone varies how many of it there are.

Ctrl-C prints and writes the points that are done, and keeps them; --resume goes on.`,
		Example: `xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s
xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s --points 17 --csv bus.csv
xopt sweep app.x arch.x --vary top.pipes=1,2,3 --vary fpga.usable=0.5,0.8
xopt sweep app.x arch.x --vary top.lo.band=1,2
xopt sweep app.x arch.x --vary fpga=1..4 --vary PCIX.bandwidth=10MB/s..1GB/s --plots figures
xopt sweep app.x arch.x --vary proc=2..12 --objective cores --min-throughput 40MB/s`,
		Args:              atLeast(1, "X files with an application and an architecture"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			return a.sweep(c, files, &a.settings.sweep)
		},
	}
}

// varied is a config with the values that it takes.
type varied struct {
	name, unit string
	values     []string            // without the unit
	show       func(string) string // for readers
}

// mostPoints is how many searches a sweep may make.
const mostPoints = 1000

// parseVaried reads a --vary.
func parseVaried(text string, points int) (varied, error) {
	wrong := func(why string) (varied, error) {
		return varied{}, &usageError{fmt.Errorf("--vary %s: %s; want NAME.config=FROM..TO, such as "+
			"PCIX.bandwidth=10MB/s..1GB/s, or NAME.config=A,B,C", text, why)}
	}
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return wrong("it names no config or no values")
	}
	from, to, ranged := strings.Cut(values, "..")
	if ranged && !strings.Contains(name, ".") { // how many of a resource
		low, err := strconv.Atoi(from)
		high, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || low < 1 || high < low || high-low >= mostPoints {
			return wrong("the number of a resource goes from 1 or more up")
		}
		v := varied{name: name, show: func(s string) string { return s }}
		for n := low; n <= high; n++ {
			v.values = append(v.values, strconv.Itoa(n))
		}
		return v, nil
	}
	if !ranged {
		return varied{name: name, values: strings.Split(values, ","), show: func(s string) string { return s }}, nil
	}
	for _, kind := range []struct {
		parse func(string) (float64, error)
		unit  string
		print func(float64) string
	}{{func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, "", units.Count}, {units.ParseRate, "B/s",
		units.Rate}, {units.ParseFrequency, "Hz", units.Frequency},
		{units.ParseTime, "s", units.Time}, {units.ParseSize, "B", units.Size}} {
		low, err := kind.parse(from)
		high, err2 := kind.parse(to)
		if err != nil || err2 != nil {
			continue
		}
		if !(low > 0 && high > low) || math.IsInf(high, 1) {
			return wrong("FROM must be above 0 and TO above FROM")
		}
		v := varied{name: name, unit: kind.unit, show: func(s string) string {
			x, _ := strconv.ParseFloat(s, 64) //nolint:errcheck // it was printed below
			return kind.print(x)
		}}
		for i := range points {
			x := low * math.Pow(high/low, float64(i)/float64(points-1))
			v.values = append(v.values, strconv.FormatFloat(x, 'g', 6, 64))
		}
		return v, nil
	}
	return wrong("its ends are not two numbers, rates, frequencies, times or sizes")
}

// point is the answer at one combination of values.
type point struct {
	Values     []string `json:"values"`
	Throughput float64  `json:"throughput"`
	Objective  string   `json:"objective,omitempty"` // its figure, where that is not throughput
	Proof      string   `json:"proof"`
	Bottleneck string   `json:"bottleneck"`
	Mapping    int      `json:"mapping"` // number of the mapping, from 0 in order of appearance; -1 for none
	Stale      int      `json:"stale"`   // figures that it rests on and that are stale
}

// swept is what a sweep has done.
type swept struct {
	Points   []point  `json:"points"`
	Mappings []string `json:"mappings"`
}

// add adds a point with its mapping, "" for none.
func (s *swept) add(p point, where string) {
	if where != "" {
		if p.Mapping = slices.Index(s.Mappings, where); p.Mapping < 0 {
			p.Mapping = len(s.Mappings)
			s.Mappings = append(s.Mappings, where)
		}
	}
	s.Points = append(s.Points, p)
}

func (a *app) sweep(c *cobra.Command, files []string, f *sweepFlags) error {
	if len(f.vary) == 0 {
		return wrongUse("say what varies, such as --vary PCIX.bandwidth=10MB/s..1GB/s")
	}
	goal, err := a.settings.goal()
	if err == nil && goal.Several() {
		err = errors.New("a sweep is for one objective")
	}
	if err != nil {
		return &usageError{err}
	}
	var list []varied
	all := 1
	for _, text := range f.vary {
		v, err := parseVaried(text, f.points)
		if err != nil {
			return err
		}
		list = append(list, v)
		if all *= len(v.values); all > mostPoints {
			return &usageError{fmt.Errorf("these are more than %d points", mostPoints)}
		}
	}
	if err := a.planSweep(files, f); err != nil {
		return err
	}
	return a.sweepPoints(c.Context(), files, list, all, goal, f)
}

// sweepPoints searches every point that is not done yet.
func (a *app) sweepPoints(ctx context.Context, files []string, list []varied, all int, goal mapper.Goal,
	f *sweepFlags) error {
	given, flags := a.settings.Set, a.sweepLine(f)
	var done swept
	var keep *saver
	var partial *point // the one that was interrupted
	at := ""           // its mapping
	for i := 0; i < all && ctx.Err() == nil; i++ {
		if i < len(done.Points) {
			continue
		}
		p := point{Mapping: -1}
		a.settings.Set = slices.Clone(given)
		for j, rest := len(list)-1, i; j >= 0; j-- { // the last varies fastest
			value := list[j].values[rest%len(list[j].values)]
			rest /= len(list[j].values)
			p.Values = append([]string{value}, p.Values...)
			a.settings.Set = append(a.settings.Set, list[j].name+"="+value+list[j].unit)
		}
		d, err := a.design(ctx, files, design.ForSearch)
		if err != nil {
			return err
		}
		if keep == nil { // the files are the same at every point
			if keep, err = a.newSaver("sweep", baseName(files), report.Describe(d).Inputs, flags); err != nil {
				return err
			}
			if a.settings.Resume {
				if err := keep.read(&done); err != nil {
					return err
				}
				a.note("%d of %d points are done already", len(done.Points), all)
				if len(done.Points) > i {
					continue
				}
			}
		}
		where, err := a.searchPoint(ctx, d, goal, &p)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if ctx.Err() != nil { // what has been found of it is printed, and not kept
			p.Proof = "interrupted"
			partial, at = &p, where
			break
		}
		done.add(p, where)
		if err := keep.save(&done, false); err != nil {
			a.note("warning: %v", err)
		}
	}
	if ctx.Err() != nil {
		a.code = exitInterrupted
		if keep != nil {
			if err := keep.save(&done, true); err != nil {
				a.note("warning: %v", err)
			} else {
				a.note("interrupted with %d of %d points done; --resume goes on from %s", len(done.Points), all,
					keep.path)
			}
		}
		if partial != nil {
			done.add(*partial, at)
		}
	} else if keep != nil {
		if err := keep.end(); err != nil {
			return err
		}
	}
	return a.printSweep(list, done.Points, done.Mappings, goal, f)
}

// sweepLine are the flags that the answer of a sweep depends on.
func (a *app) sweepLine(f *sweepFlags) []string {
	flags := append(a.scoreFlags(), a.goalFlags()...)
	for _, v := range f.vary {
		flags = append(flags, "--vary", v)
	}
	return append(flags, "--points", fmt.Sprint(f.points), "--evals", fmt.Sprint(a.settings.Evals), "--seed",
		fmt.Sprint(a.settings.Seed), "--threads", fmt.Sprint(a.settings.Threads))
}

// searchPoint searches one design; "" where there is no mapping.
func (a *app) searchPoint(ctx context.Context, d *design.Design, goal mapper.Goal, p *point) (string, error) {
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: a.settings.Seed,
		Threads: max(1, a.settings.Threads), MaxEvals: a.settings.Evals, Top: 1, Goal: goal})
	var none *mapper.NoMappingError
	if errors.As(err, &none) {
		p.Proof, p.Bottleneck = "-", "no mapping is feasible"
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("searching mappings: %w", err)
	}
	best := &found.Candidates[0]
	n, err := flow.NewNetwork(d.Problem, best.Mapping)
	if err != nil {
		return "", err
	}
	s, err := flow.Fast{}.Solve(context.WithoutCancel(ctx), n) // of what was found until an interrupt
	if err != nil {
		return "", err
	}
	for _, c := range d.Citations(best.Mapping) {
		if c.Stale != "" {
			p.Stale += c.Figures
		}
	}
	p.Throughput = s.Throughput
	if o := goal.First(); o != mapper.Throughput {
		c := report.Candidate{Throughput: report.Number(s.Throughput), Measures: report.MeasuresOf(&best.Measures)}
		p.Objective = c.Objective(o.String())
	}
	p.Bottleneck = strings.Join(s.Limiting(n), ", ")
	switch {
	case found.Optimal():
		p.Proof = "optimal"
	case found.Bound > 0:
		p.Proof = "within " + units.Percent(found.Bound/best.Throughput-1)
	default:
		p.Proof = "not proven"
	}
	return placed(d, best.Mapping), nil
}

// letter names a mapping: A to Z, then A1 and so on.
func letter(i int) string {
	const letters = 26
	if i < 0 {
		return "-"
	}
	name := string(rune('A' + i%letters))
	if i >= letters {
		name += strconv.Itoa(i / letters)
	}
	return name
}

func (a *app) printSweep(list []varied, points []point, mappings []string, goal mapper.Goal, f *sweepFlags) error {
	var values []float64
	for _, p := range points {
		values = append(values, p.Throughput)
	}
	scale := units.ScaleFor("B/s", values...)
	var head, plainHead []string
	for _, v := range list {
		head = append(head, v.name)
		if v.unit != "" {
			v.name += " (" + v.unit + ")"
		}
		plainHead = append(plainHead, v.name)
	}
	columns, plainColumns := []string{scale.Heading("throughput")}, []string{"throughput (B/s)"}
	if o := goal.First(); o != mapper.Throughput {
		columns, plainColumns = append(columns, o.String()), append(plainColumns, o.String())
	}
	stale := slices.ContainsFunc(points, func(p point) bool { return p.Stale > 0 })
	if stale {
		columns, plainColumns = append(columns, "stale figures"), append(plainColumns, "stale figures")
	}
	columns, plainColumns = append(columns, "proof", "bottleneck", "mapping"), append(plainColumns, "proof",
		"bottleneck", "mapping", "kernels")
	rows, plain := [][]string(nil), [][]string{append(plainHead, plainColumns...)}
	for i, p := range points {
		changed := letter(p.Mapping)
		if i > 0 && p.Mapping >= 0 && points[i-1].Mapping != p.Mapping {
			changed += " (other)"
		}
		var shown []string
		for j, v := range p.Values {
			shown = append(shown, list[j].show(v))
		}
		shown = append(shown, scale.Format(p.Throughput))
		values := append(slices.Clone(p.Values), strconv.FormatFloat(p.Throughput, 'g', -1, 64))
		if p.Objective != "" || goal.First() != mapper.Throughput {
			shown, values = append(shown, p.Objective), append(values, p.Objective)
		}
		if stale {
			shown, values = append(shown, fmt.Sprint(p.Stale)), append(values, fmt.Sprint(p.Stale))
		}
		rows = append(rows, append(shown, p.Proof, p.Bottleneck, changed))
		where := ""
		if p.Mapping >= 0 {
			where = mappings[p.Mapping]
		}
		plain = append(plain, append(values, p.Proof, p.Bottleneck, letter(p.Mapping), where))
	}
	if err := report.WriteTable(a.stdout, a.style(), "The best mapping at each point, predicted; (other): it is not "+
		"that of the row above", append(head, columns...), rows); err != nil {
		return err
	}
	for i, m := range mappings {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", letter(i), m); err != nil {
			return err
		}
	}
	return a.saveSweep(f, list, points, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(plain) })
}
