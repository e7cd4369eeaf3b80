package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// defaultFrame is the default frame length for statements that need frames.
const defaultFrame = 100 * time.Millisecond

// MaxStatements is the maximum number of bytes to read from a file of statements.
const MaxStatements = 8 << 20

// Statements contains the text of statements, and a name for error messages.
type Statements struct{ Name, Text string }

// ReadStatements joins the arguments of --measure. Each argument is a statement or a file of statements. An argument
// that contains a space or a line end is a statement.
func ReadStatements(given []string) (*Statements, error) {
	s := &Statements{Name: "--measure"}
	var parts []string
	for _, g := range given {
		if strings.ContainsAny(g, " \t\n") {
			parts = append(parts, g)
			continue
		}
		data, err := infile.Read(g, MaxStatements)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.NoFile.Usagef("--measure %s: the file does not exist (name an existing file, or "+
				"write a statement such as 'measure rate at e1')", g)
		case err != nil:
			return nil, fault.Usage(fmt.Errorf("--measure: %w", err))
		}
		if len(given) == 1 {
			s.Name = g
		}
		parts = append(parts, string(data))
	}
	s.Text = strings.Join(parts, "\n;\n")
	return s, nil
}

// Deployment is the run that statements measure.
type Deployment struct {
	Design  *design.Design
	Build   *program.Options // Prepare adds taps, conditions and events
	Limits  *run.Options     // Prepare adds frames
	Virtual bool             // the run is in virtual time
	// CheckProbes checks that the hardware has the signals that taps sample.
	CheckProbes func([]program.Tap) error
	Every       uint64 // see [Options]
	Frame       uint64
	Failed      func(*Failure) // called for the first failure of each assertion during the run
}

// Prepare adds the taps and options of the statements to a deployment and returns the recorder of its run. Errors in
// statements are [xlang.Diagnostics].
func (s *Statements) Prepare(x Deployment) (*Recorder, error) {
	d := x.Design
	q, err := timetrial.Parse(s.Name, s.Text, d.Program)
	if err != nil {
		return nil, err
	}
	opt := Options{Every: x.Every, Frame: x.Frame, FPGAs: OnFPGAs(d)}
	if x.Virtual {
		if opt.Crossing, err = Crossings(d); err != nil {
			return nil, err
		}
		if opt.Senders, err = Senders(d); err != nil {
			return nil, err
		}
	}
	p, err := New(q, d.Program, x.Build.Taps, opt)
	if err != nil {
		return nil, err
	}
	if err := x.CheckProbes(p.Taps()); err != nil {
		return nil, err
	}
	o := x.Build
	o.Taps, o.Conditions, o.Events = p.Taps(), p.Conditions(), o.Events || p.Points()
	if x.Limits.Frame == 0 && opt.Frame == 0 && p.NeedsFrames() {
		x.Limits.Frame = defaultFrame
	}
	failed := make(map[*timetrial.Assertion]bool)
	r := p.NewRecorder(func(f *Failure) {
		if !failed[f.Assertion] {
			failed[f.Assertion] = true
			x.Failed(f)
		}
	})
	x.Limits.OnFrame = r.OnFrame
	return r, nil
}
