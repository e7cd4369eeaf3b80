package xsim

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"xopt/deploy/faults"
	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/mapper/result"
)

// RulesSuffix is the extension of a file of rules.
const RulesSuffix = ".smx"

// maxRules is the maximum size of a file of rules in bytes.
const maxRules = 2 << 20

// Replayed contains the service times of another run. A nil Replayed contains none.
type Replayed struct {
	Times [][]uint64 // by kernel, in order
	From  []string   // origin of the times of each kernel; "" for measured
	Notes []fault.Note
}

// ReplayOf reads the times of another run from a file: a trace, a result with logged firings (.json), or rules (.smx)
// with times. A comma and a result may follow the name of the file. The replay is then scaled to the mean times of the
// result. Errors in rules are xlang.Diagnostics.
func ReplayOf(ctx context.Context, d *design.Design, file string, seed uint64) (*Replayed, error) {
	path, means, scaled := strings.Cut(file, ",")
	var r *Replayed
	var err error
	switch filepath.Ext(path) {
	case RulesSuffix:
		r, err = rulesReplay(d, path, seed)
	case ".json":
		r, err = resultReplay(d, path)
	default:
		r, err = traceReplay(ctx, d, path)
	}
	if err != nil || !scaled {
		return r, err
	}
	plain, err := readRun(means)
	if err != nil {
		return nil, err
	}
	if r.Times, err = Scaled(d.Program, r.Times, plain); err != nil {
		return nil, fmt.Errorf("%s: %w", means, err)
	}
	r.From = WeakerOrigins(r.From, RunOrigins(d.Program, plain))
	return r, nil
}

// readRun reads the run in a result.
func readRun(path string) (*result.Measured, error) {
	file, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := result.Decode(path, file)
	if err != nil {
		return nil, err
	}
	if r.Measured == nil {
		return nil, fault.NoRun.Errorf("%s contains no run: xopt deploy -o %s writes one", path, path)
	}
	return r.Measured, nil
}

// resultReplay reads the logged firings of a run.
func resultReplay(d *design.Design, path string) (*Replayed, error) {
	m, err := readRun(path)
	if err != nil {
		return nil, err
	}
	times, err := Recorded(d.Program, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Replayed{Times: times, From: RunOrigins(d.Program, m)}, nil
}

// traceReplay reads the times of a trace.
func traceReplay(ctx context.Context, d *design.Design, path string) (*Replayed, error) {
	table, err := trace.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = table.Close() }() // an error after reading is irrelevant
	times, notes, err := FromTrace(ctx, d.Program, table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range notes {
		notes[i].Text = path + ": " + notes[i].Text
	}
	return &Replayed{Times: times, From: TraceOrigins(d.Program, table.Header()), Notes: notes}, nil
}

// rulesReplay reads a file of rules, and the times in its folder.
func rulesReplay(d *design.Design, path string, seed uint64) (*Replayed, error) {
	rules, err := ReadRules(path)
	if err != nil {
		return nil, err
	}
	times, notes, err := FromRules(d.Program, rules, filepath.Dir(path), seed)
	if err != nil {
		return nil, err
	}
	from, err := RuleOrigins(d.Program, rules, filepath.Dir(path))
	return &Replayed{Times: times, From: from, Notes: notes}, err
}

// ReadRules reads a file of rules.
func ReadRules(path string) (*xeval.File, error) {
	text, err := infile.Read(path, maxRules)
	if err != nil {
		return nil, fmt.Errorf("reading rules: %w", err)
	}
	return xeval.Parse(path, string(text))
}

// Origins returns the origins of the times of the kernels on cores in a replay.
func (r *Replayed) Origins(d *design.Design) (list []trace.Origin) {
	if r == nil {
		return nil
	}
	for k, at := range d.Mapping.Place {
		if r.From[k] != "" && len(r.Times[k]) > 0 && !design.IsFPGA(d.Program, at) {
			list = append(list, trace.Origin{Kernel: d.Program.Kernels[k].Name, Origin: r.From[k]})
		}
	}
	return list
}

// Repeated returns a note for each kernel that fired more often in a run than the replay has times.
func (r *Replayed) Repeated(d *design.Design, m *deployrun.Measurement) (notes []fault.Note) {
	for k := range m.Kernels {
		if r == nil || r.Times[k] == nil {
			continue
		}
		if n := uint64(len(r.Times[k])); m.Kernels[k].Firings > n {
			notes = append(notes, faults.TimesRepeated.Notef("replay: %s fired %d times, but the replay has only %d "+
				"service times: xopt repeated them from the start", d.Program.Kernels[k].Name, m.Kernels[k].Firings, n))
		}
	}
	return notes
}

// DrawnOrigins returns the origins of times that a run draws from figures. They are assumed or published if the figures
// are. Times from measured figures are simulated.
func DrawnOrigins(d *design.Design) (list []trace.Origin) {
	for k, r := range d.Mapping.Place {
		if design.IsFPGA(d.Program, r) {
			continue
		}
		of := d.Problem.Figures[k][r].Origin.String()
		word := "simulated"
		switch of {
		case flow.Assumed.String(), flow.Published.String():
			word = of
		}
		list = append(list, trace.Origin{Kernel: d.Program.Kernels[k].Name,
			Origin: fmt.Sprintf("%s, times drawn from %s figures", word, of)})
	}
	return list
}
