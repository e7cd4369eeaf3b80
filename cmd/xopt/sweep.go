package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/mapper/result"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/report"
	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/predict"
)

// sweepFlags are what only sweep has.
type sweepFlags struct {
	vary   []string
	points int
}

// sweepCommand searches at every point of a range of configs.
func (a *app) sweepCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sweep APP.x ARCH.x --vary NAME=FROM..TO",
		Short: "find the best mapping at each point of a range, and where it changes",
		Long: `sweep searches at each point of a range: a config is set to values between two bounds (in
equal steps of the logarithm), or to each of several values. A config that is declared as a
whole number takes whole values: those of the range, rounded, each once. sweep prints the
best throughput, what limits it, and where another mapping becomes the best. With several
--vary it searches all combinations. The name of a resource alone varies how many of it
there are; from 0, the sweep answers whether the resource is of use.

Ctrl-C prints and writes the points that are done, and keeps them; --resume goes on.`,
		Example: `xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s
xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s --points 17 --csv bus.csv
xopt sweep app.x arch.x --vary top.pipes=1..3 --vary fpga.usable=0.5,0.8
xopt sweep app.x arch.x --vary top.lo.band=1,2
xopt sweep app.x arch.x --vary fpga=0..2                         is an FPGA of use?
xopt sweep app.x arch.x --vary fpga=1..4 --vary PCIX.bandwidth=10MB/s..1GB/s --plots figures
xopt sweep app.x arch.x --vary proc=2..12 --objective cores --min-throughput 40MB/s`,
		Args:              atLeast(1, "X files with an application and an architecture"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			if is, err := a.campaignOf(c, files); is {
				return err
			}
			return a.sweep(c, files, &a.settings.sweep)
		},
	}
}

// sweeping is one sweep: what varies, and what has been done.
type sweeping struct {
	files   []string
	list    []varied
	all     int // points
	goal    mapper.Goal
	given   []string // --set, to which the values of a point are added
	flags   []string // that the answer depends on
	done    result.Sweep
	keep    *saver
	design  *design.Design     // of the last point
	partial *result.SweptPoint // the one that was interrupted
	at      *sweptMapping      // its mapping
}

// add adds a point with its mapping, nil for none.
func (s *sweeping) add(p result.SweptPoint, m *sweptMapping) {
	if m != nil {
		if p.Mapping = slices.Index(s.done.Mappings, m.where); p.Mapping < 0 {
			p.Mapping = len(s.done.Mappings)
			s.done.Mappings, s.done.Places = append(s.done.Mappings, m.where), append(s.done.Places, m.places)
		}
	}
	s.done.Points = append(s.done.Points, p)
}

// sweep searches at each point, and prints and writes the best mappings.
func (a *app) sweep(c *cobra.Command, files []string, f *sweepFlags) error {
	s, err := a.prepareSweep(files, f)
	if err != nil {
		return err
	}
	if err := a.planSweep(files); err != nil {
		return err
	}
	if a.answers == nil {
		if err := a.checkValues(c.Context(), s); err != nil && c.Context().Err() == nil {
			return err
		}
	}
	work := a.longWork("searching point")
	defer work.end()
	for i := 0; i < s.all && c.Context().Err() == nil; i++ {
		if err := a.sweepPoint(c.Context(), s, i); err != nil {
			return err
		}
		work.step(max(i+1, len(s.done.Points)), s.all)
	}
	work.end()
	err = a.endSweep(c.Context(), s)
	if err != nil {
		return err
	}
	var r *result.Result
	if s.design != nil { // not interrupted before the first point
		r = newResult(s.design, a.typed(c, files))
		r.Sweep = s.result()
		err = a.keepReport(sweepName(files), r)
	}
	switch {
	case !a.settings.JSON:
		err = errors.Join(err, a.show(report.Sweep(s.result())...))
	case r != nil:
		err = errors.Join(err, r.Encode(a.stdout.JSON()))
	}
	// What cannot be printed is saved all the same.
	return errors.Join(err, a.saveSweep(s))
}

// prepareSweep reads what varies.
func (a *app) prepareSweep(files []string, f *sweepFlags) (*sweeping, error) {
	if len(f.vary) == 0 {
		return nil, wrongUse("--vary is required, such as --vary PCIX.bandwidth=10MB/s..1GB/s")
	}
	s := &sweeping{files: files, all: 1, given: a.settings.Set, flags: a.sweepLine(f)}
	var err error
	s.goal, err = a.settings.goal()
	if err == nil && s.goal.Several() {
		err = errors.New("a sweep is for one objective")
	}
	if err != nil {
		return nil, &usageError{err}
	}
	a.setBy = make(map[string]string)
	for _, text := range f.vary {
		v, err := parseVaried(text, f.points)
		if err != nil {
			return nil, err
		}
		s.list = append(s.list, v)
		a.setBy[strings.TrimSpace(v.name)] = "--vary"
	}
	if err := a.wholeSteps(s, f.points); err != nil {
		return nil, err
	}
	for j := range s.list {
		if s.all *= len(s.list[j].values); s.all > maxPoints {
			return nil, wrongUse("these are more than %d points", maxPoints)
		}
	}
	return s, nil
}

// sweepPoint searches a point that is not done yet.
func (a *app) sweepPoint(ctx context.Context, s *sweeping, i int) error {
	if i < len(s.done.Points) {
		return nil
	}
	if quick, err := a.quickPoint(s, i); quick || err != nil {
		return err
	}
	d, values, err := a.designPoint(ctx, s, i)
	if err != nil {
		return err
	}
	p := result.SweptPoint{Values: values, Mapping: -1}
	s.design = d
	if s.keep == nil && a.answers == nil { // the files are the same at every point
		if err := a.takeUpSweep(s, d); err != nil || len(s.done.Points) > i {
			return err
		}
	}
	if a.missing(i) {
		p.Proof, p.Bottleneck = notComputed()
		s.add(p, nil)
		return nil
	}
	where, err := a.searchPoint(ctx, d, s, i, &p)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case ctx.Err() != nil: // what has been found of it is printed, and not kept
		p.Proof = "interrupted"
		s.partial, s.at = &p, where
		return nil
	}
	s.add(p, where)
	if s.keep == nil {
		return nil
	}
	if err := s.keep.save(&s.done, false); err != nil {
		a.note("warning: %v", err)
	}
	return nil
}

// designPoint is the design at a point, and the values of what varies.
func (a *app) designPoint(ctx context.Context, s *sweeping, i int) (*design.Design, []string, error) {
	values := s.values(i)
	a.settings.Set = s.set(values)
	d, err := a.design(ctx, s.files, design.ForSearch)
	return d, values, err
}

// set are the values of --set with which a point is computed.
func (s *sweeping) set(values []string) []string {
	set := slices.Clone(s.given)
	for j, value := range values {
		v := &s.list[j]
		set = append(set, v.name+"="+value+v.unit)
	}
	return set
}

// values are those of a point: the last varies fastest.
func (s *sweeping) values(i int) []string {
	values := make([]string, len(s.list))
	for j := len(s.list) - 1; j >= 0; j-- {
		v := &s.list[j]
		values[j] = v.values[i%len(v.values)]
		i /= len(v.values)
	}
	return values
}

// takeUpSweep makes what keeps the points that are done, and takes up those of an interrupted
// call.
func (a *app) takeUpSweep(s *sweeping, d *design.Design) error {
	var err error
	if s.keep, err = a.newSaver("sweep", baseName(s.files), predict.Describe(d).Inputs, s.flags); err != nil {
		return err
	}
	if !a.settings.Resume {
		return nil
	}
	if err := s.keep.read(&s.done); err != nil {
		return err
	}
	a.note("%d of %d points are done already", len(s.done.Points), s.all)
	return nil
}

// endSweep keeps what is done of an interrupted sweep, and takes away what was kept of another.
func (a *app) endSweep(ctx context.Context, s *sweeping) error {
	if ctx.Err() == nil {
		if s.keep == nil {
			return nil
		}
		return s.keep.end()
	}
	a.code = exitInterrupted
	if s.keep != nil {
		if err := s.keep.save(&s.done, true); err != nil {
			a.note("warning: %v", err)
		} else {
			a.note("interrupted with %d of %d points done; --resume goes on from %s", len(s.done.Points), s.all,
				s.keep.path)
		}
	}
	if s.partial != nil {
		s.add(*s.partial, s.at)
	}
	return nil
}

// result is the sweep as results hold it.
func (s *sweeping) result() *result.Sweep {
	r := s.done
	if o := s.goal.First(); o != mapper.Throughput {
		r.Objective = o.String()
	}
	for _, v := range s.list {
		r.Varied = append(r.Varied, result.Varied{Name: v.name, Unit: v.unit, Values: v.values})
	}
	return &r
}

// sweepLine are the flags that the answer of a sweep depends on.
func (a *app) sweepLine(f *sweepFlags) []string {
	flags := append(a.scoreFlags(), a.goalFlags()...)
	for _, v := range f.vary {
		flags = append(flags, "--vary", v)
	}
	return append(flags, "--copies", a.settings.Copies, "--points", fmt.Sprint(f.points),
		"--evals", fmt.Sprint(a.settings.Evals), "--seed", fmt.Sprint(a.settings.Seed),
		"--threads", fmt.Sprint(a.settings.Threads))
}
