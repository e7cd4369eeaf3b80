package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// maxCompleted is the maximum number of kernels of an application whose result xopt completes after a signal. The
// results of larger applications take too long to describe and write.
const maxCompleted = 20_000

// briefResult returns the result of an interrupted search of a large application: throughputs and map files. xopt eval
// can compute the other figures from the map files.
func (a *app) briefResult(s *searching) (*result.Result, []settings.MapText, error) {
	command := a.commandLine(s.files, s.found.Threads)
	if s.keep != nil {
		s.keep.Line = command // the only command to continue
	}
	r := &result.Result{Schema: result.Schema, Tool: "xopt", Application: s.design.Program.Top}
	r.Stamp(version(), command)
	r.Search = a.foundBy(s)
	r.Warnings = append(r.Warnings, faults.MapFilesOnly.Notef("interrupted: for this application of %d kernels, "+
		"xopt wrote only map files and throughputs; xopt eval computes all figures", len(s.design.Program.Kernels)))
	var errs []error
	var texts []settings.MapText
	for i := range s.found.Candidates {
		found := &s.found.Candidates[i]
		c := result.Candidate{Name: fmt.Sprint(i + 1), Throughput: result.Number(found.Throughput),
			Measures: &found.Measures}
		if text, err := a.mapFile(s, i, &c, command); err != nil {
			errs = append(errs, fmt.Errorf("cannot create the map file of candidate %d: %w", i+1, err))
		} else {
			c.File, texts = text.Path, append(texts, text)
		}
		s.missed = append(s.missed, i)
		r.Candidates = append(r.Candidates, c)
	}
	return r, texts, errors.Join(errs...)
}

// searchResult predicts every candidate. It returns the result and the text of each map file. Errors describe missing
// parts. Warnings describe parts that searchResult omitted because a context ended.
func (a *app) searchResult(x predict.Ending, s *searching) (*result.Result, []settings.MapText, error) {
	if x.Interrupted.Err() != nil && len(s.design.Program.Kernels) > maxCompleted {
		return a.briefResult(s)
	}
	command := a.commandLine(s.files, s.found.Threads)
	r := newResult(s.design, command)
	r.Search = a.foundBy(s)
	if len(s.found.Candidates) > 0 {
		predict.AddSolver(r.Search, s.answer, s.found.Candidates[0].Throughput)
	}
	var errs []error
	var designs []*design.Design
	var found []mapper.Candidate // without the candidates that cannot be predicted
	for i := range s.found.Candidates {
		m := s.found.Candidates[i].Mapping
		if i > 0 && s.sized != nil && s.sized[m] == nil && !s.race.Ran(m) {
			x.Late = append(x.Late, s.found.Candidates[i].Throughput)
			continue
		}
		d := s.designOf(m)
		c, err := x.Candidate(d, &s.found.Candidates[i], i)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(c.Queues) > 0 || len(d.Problem.Application.Edges) == 0 {
			errs = append(errs, x.CheckBuffers(d, m, s.sized[m], i, c,
				i == 0 || r.Candidates[0].WithBuffers != nil))
		}
		c.Warnings = append(c.Warnings, predict.Above(c, s.goal.MaxBuffer)...)
		errs = append(errs, a.settings.AddRun(c))
		r.Candidates, designs = append(r.Candidates, *c), append(designs, d)
		found = append(found, s.found.Candidates[i])
	}
	x.Unranked = a.ranksWithBuffers(s) && s.sized == nil && s.copies == nil && s.race == nil
	members := x.Shown(r)
	r.Candidates, designs = predict.Selected(r.Candidates, members), predict.Selected(designs, members)
	s.found.Candidates = predict.Selected(found, members)
	var texts []settings.MapText
	var mappings []*flow.Mapping
	for i := range r.Candidates {
		c := &r.Candidates[i]
		c.Name, mappings = fmt.Sprint(i+1), append(mappings, s.found.Candidates[i].Mapping)
		if len(c.Queues) == 0 && len(s.design.Problem.Application.Edges) > 0 {
			s.missed = append(s.missed, i)
		}
		if text, err := a.mapFile(s, i, c, command); err != nil {
			errs = append(errs, fmt.Errorf("cannot create the map file of candidate %d: %w", i+1, err))
		} else {
			c.File, texts = text.Path, append(texts, text)
		}
	}
	s.race.Report(r, mappings)
	if s.ranked != nil {
		predict.Robust(r, s.ranked, predict.Selected(s.ranks, members))
	} else if len(r.Candidates) > 0 {
		r.Search.Condition(r.Predicted())
		if s.goal.First() == mapper.Throughput && !s.goal.Several() {
			errs = append(errs, predict.Distinguish(x.Extras, r, designs[0].Problem,
				predict.Alike(designs, s.found.Candidates)))
		}
	}
	errs = append(errs, a.complete(x.Always, x.Extras, r, designs, mappings))
	return r, texts, errors.Join(errs...)
}

// ranksWithBuffers reports whether a search ranks its mappings by their throughput with limited buffers.
func (a *app) ranksWithBuffers(s *searching) bool {
	return s.robust == nil && !s.goal.Several() && s.goal.First() == mapper.Throughput
}

// foundBy records how a search found its candidates.
func (a *app) foundBy(x *searching) *result.Search {
	s := predict.FoundBy(x.found, x.goal, &x.course)
	s.GapAsked, s.Copies, s.CopiesLeft = result.Number(x.gap), x.copies, x.copiesLeft
	if unfinished(x.found.Status) && x.keep.Left() && !a.role.Point {
		s.Checkpoint = x.keep.Path
	}
	return s
}

// evalLine returns the command that predicts a candidate.
func (a *app) evalLine(s *searching, i int) []string {
	return slices.Concat([]string{"xopt", "eval"}, s.files, []string{s.out.Mapping(i + 1)}, a.scoreFlags())
}

// mapFile returns the mapping of a candidate as X code. It includes the origin of the mapping and the command that
// predicts it.
func (a *app) mapFile(s *searching, i int, c *result.Candidate, command []string) (settings.MapText, error) {
	path := s.out.Mapping(i + 1)
	basis := "predicted"
	if len(c.Place) > 0 {
		basis = report.Basis(c)
	}
	m := s.found.Candidates[i].Mapping
	header := fmt.Sprintf("Candidate %d: %s (%s).%s\nFound by: %s\nwith xopt %s\nScore it:  %s",
		i+1, units.Rate(float64(c.Throughput)), basis, predict.UncheckedSizes(c)+s.race.Header(m),
		safetext.ShellLine(command), version(), safetext.ShellLine(a.evalLine(s, i)))
	var text bytes.Buffer
	d := s.designOf(m)
	err := d.WriteMapping(&text, m, predict.MapSizes(d, m, c), header)
	return settings.MapText{Path: path, Text: text.Bytes()}, err
}

// commandLine returns the command that reproduces the answer and the files.
func (a *app) commandLine(files []string, threads int) []string {
	s := &a.settings
	line := append([]string{"xopt", "search"}, files...)
	line = append(line, "--seed", fmt.Sprint(s.Seed), "--threads", fmt.Sprint(threads), "--top", fmt.Sprint(s.Top),
		"--method", s.Method)
	if s.Evals > 0 {
		line = append(line, "--evals", fmt.Sprint(s.Evals))
	}
	line = append(line, "--time", s.Time.String())
	line = append(append(line, a.goalFlags()...), a.scoreFlags()...)
	for _, name := range slices.Sorted(maps.Keys(a.inForce)) {
		v := a.inForce[name]
		if o := v.Option; a.given(name) && o.Commands != nil && o.Group != options.GroupResuming &&
			!(a.role.Point && o.IsOutput()) &&
			!slices.Contains(line, "--"+name) {
			line = append(line, v.Args()...)
		}
	}
	return line
}
