package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"xopt/cmd/faults"
	"xopt/deploy/measure"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// defaultFrame is the length of a frame where statements need frames and none is
// given.
const defaultFrame = 100 * time.Millisecond

// frames sets the frames that --frame asks for.
func (f *deployCommand) frames(limits *deployrun.Options, o *measure.Options) error {
	if f.frame == "" {
		return nil
	}
	if n, err := elementsOfFrame(f.frame); err == nil {
		if n == 0 || len(f.measure) == 0 {
			return faults.WrongOptionValue.Usagef("--frame is %s elements: that needs --measure, and one element "+
				"at least; or give a time, such as 100ms", f.frame)
		}
		o.Frame = n
		return nil
	}
	var err error
	limits.Frame, err = time.ParseDuration(f.frame)
	return err
}

// elementsOfFrame reads a number of elements.
func elementsOfFrame(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }

// statements reads what --measure says and asks the deployment for what it needs;
// nil when it says nothing.
func (f *deployCommand) statements(ctx context.Context, d *design.Design, o *program.Options,
	limits *deployrun.Options) (*measure.Recorder,
	error) {
	opt := measure.Options{Every: f.every}
	if err := f.frames(limits, &opt); err != nil {
		return nil, err
	}
	if len(f.measure) == 0 {
		if f.strict {
			return nil, faults.OptionRequires.Usagef("--strict needs --measure with an assertion")
		}
		return nil, nil
	}
	name, text, err := measureText(f.measure)
	if err != nil {
		return nil, err
	}
	source := func(string) []byte { return []byte(text) }
	q, err := timetrial.Parse(name, text, d.Program)
	if err != nil {
		return nil, renderedWith(err, source)
	}
	if f.simulate || xsim.Needed(d) {
		opt.Crossing, err = measure.Crossings(d)
		if err == nil {
			opt.Senders, err = measure.Senders(d)
		}
		if err != nil {
			return nil, err
		}
	}
	opt.FPGAs = measure.OnFPGAs(d)
	p, err := measure.New(q, d.Program, o.Taps, opt)
	if err != nil {
		return nil, renderedWith(err, source)
	}
	if err := xsim.CheckProbes(ctx, d, p.Taps()); err != nil {
		return nil, renderedWith(err, source)
	}
	o.Taps, o.Conditions, o.Events = p.Taps(), p.Conditions(), o.Events || p.Points()
	if limits.Frame == 0 && opt.Frame == 0 && p.NeedsFrames() {
		limits.Frame = defaultFrame
	}
	told := make(map[*timetrial.Assertion]bool)
	r := p.NewRecorder(func(x *measure.Failure) {
		if !told[x.Assertion] {
			told[x.Assertion] = true
			f.note("%s failed in %s", measure.AssertionName(x.Assertion), x.String())
		}
	})
	limits.OnFrame = r.OnFrame
	return r, nil
}

// maxStatements is how many bytes of a file of statements are read.
const maxStatements = 8 << 20

// measureText joins statements and files of them. What has a space or line end is
// statements.
func measureText(given []string) (name, text string, err error) {
	name = "--measure"
	var parts []string
	for _, g := range given {
		if strings.ContainsAny(g, " \t\n") {
			parts = append(parts, g)
			continue
		}
		data, err := infile.Read(g, maxStatements)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", "", fault.NoFile.Usagef("--measure %s: the file does not exist; or give "+
				"statements, such as 'measure rate at e1'", g)
		case err != nil:
			return "", "", fault.Usage(fmt.Errorf("--measure: %w", err))
		}
		if len(given) == 1 {
			name = g
		}
		parts = append(parts, string(data))
	}
	return name, strings.Join(parts, "\n;\n"), nil
}
