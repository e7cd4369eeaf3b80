package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/internal/files/infile"
	"xopt/mapper/result"
)

// maxRules is how many bytes of a file of rules are read.
const maxRules = 2 << 20

// replayed reads the times of another run that --from replay:FILE names, and where they come from; nil where it names
// none.
func (a *app) replayed(ctx context.Context, d *design.Design, f *deployFlags) (times [][]uint64, from []string,
	err error) {
	if f.edges == edgesAlone && !f.simulate && !xsim.Needed(d) {
		return nil, nil, wrongUse("--edges alone is of runs in virtual time: add --simulate")
	}
	path, ok := strings.CutPrefix(a.settings.From, fromReplay)
	if !ok {
		return nil, nil, nil
	}
	path, means, scaled := strings.Cut(path, ",")
	if !f.simulate && !xsim.Needed(d) {
		return nil, nil, wrongUse("--from %s is of runs in virtual time: add --simulate", a.settings.From)
	}
	switch filepath.Ext(path) {
	case rulesSuffix:
		times, from, err = a.ruleTimes(d, path)
	case ".json":
		times, from, err = loggedTimes(d, path)
	default:
		times, from, err = a.traceTimes(ctx, d, path)
	}
	if err != nil || !scaled {
		return times, from, err
	}
	plain, err := readRun(means)
	if err != nil {
		return nil, nil, err
	}
	if times, err = xsim.Scaled(d.Program, times, plain); err != nil {
		return nil, nil, wrongUse("--from replay: %s: %w", means, err)
	}
	return times, xsim.WeakerOrigins(from, xsim.RunOrigins(d.Program, plain)), nil
}

// readRun reads the run that a result holds.
func readRun(path string) (*result.Measured, error) {
	r, err := readResult(path)
	if err != nil {
		return nil, err
	}
	if r.Measured == nil {
		return nil, wrongUse("--from replay: %s holds no run: xopt deploy -o %s writes one", path, path)
	}
	return r.Measured, nil
}

// loggedTimes are those of the firings of a run that were logged.
func loggedTimes(d *design.Design, path string) ([][]uint64, []string, error) {
	m, err := readRun(path)
	if err != nil {
		return nil, nil, err
	}
	times, err := xsim.Recorded(d.Program, m)
	if err != nil {
		return nil, nil, wrongUse("--from replay: %s: %w", path, err)
	}
	return times, xsim.RunOrigins(d.Program, m), nil
}

// traceTimes reads the times of a trace.
func (a *app) traceTimes(ctx context.Context, d *design.Design, path string) ([][]uint64, []string, error) {
	table, err := trace.OpenFile(path)
	if err != nil {
		return nil, nil, wrongUse("--from replay: %w", err)
	}
	defer table.Close()
	times, notes, err := xsim.FromTrace(ctx, d.Program, table)
	if err != nil {
		return nil, nil, wrongUse("--from replay: %s: %w", path, err)
	}
	for _, n := range notes {
		a.note("note: %s: %s", path, n)
	}
	return times, xsim.TraceOrigins(d.Program, table.Header()), nil
}

// rulesSuffix is what files of rules end with.
const rulesSuffix = ".smx"

// ruleTimes reads the times that lie beside a file of rules.
func (a *app) ruleTimes(d *design.Design, path string) ([][]uint64, []string, error) {
	f, err := readRules(path)
	if err != nil {
		return nil, nil, err
	}
	times, notes, err := xsim.FromRules(d.Program, f, filepath.Dir(path), a.settings.Seed)
	if err != nil {
		return nil, nil, wrongUse("--from replay: %w", err)
	}
	from, err := xsim.RuleOrigins(d.Program, f, filepath.Dir(path))
	if err != nil {
		return nil, nil, wrongUse("--from replay: %w", err)
	}
	for _, n := range notes {
		a.note("note: %s", n)
	}
	return times, from, nil
}

// readRules reads a file of rules; mistakes are shown with their lines.
func readRules(path string) (*xeval.File, error) {
	text, err := infile.Read(path, maxRules)
	if err != nil {
		return nil, &usageError{fmt.Errorf("reading rules: %w", err)}
	}
	f, err := xeval.Parse(path, string(text))
	if err != nil {
		return nil, renderedWith(err, func(string) []byte { return text })
	}
	return f, nil
}

// takenAgain tells of the kernels that fired more often than there were times.
func takenAgain(d *design.Design, m *deployrun.Measurement, times [][]uint64) (notes []string) {
	for i := range m.Kernels {
		k := m.Kernels[i].Kernel
		if times == nil || times[k] == nil {
			continue
		}
		if n := uint64(len(times[k])); m.Kernels[i].Firings > n {
			notes = append(notes, fmt.Sprintf("replay: %s fired %d times, and there are %d times of it: they were "+
				"taken "+
				"again from the first on", d.Program.Kernels[k].Name, m.Kernels[i].Firings, n))
		}
	}
	return notes
}
