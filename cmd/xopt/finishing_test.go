package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/page"
	"xopt/cmd/internal/report/text"
	"xopt/cmd/internal/settings"
	"xopt/flow/design"
	"xopt/internal/safetext"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestFinishingInterrupted completes a search after an interruption: the first candidate has its throughput with finite
// buffers, and the others have none.
func TestFinishingInterrupted(t *testing.T) {
	doubtedFiles(t, nil)
	a := app{stdout: safetext.NewWriter(io.Discard), stderr: safetext.NewWriter(io.Discard)}
	a.settings.Profile = "app.profile.json"
	s := &searching{files: []string{"app.x"}, out: settings.SearchFiles{Name: "found"}}
	var err error
	if s.design, err = a.design(t.Context(), s.files, design.ForSearch); err != nil {
		t.Fatal(err)
	}
	if s.found, err = mapper.Search(t.Context(), s.design.Problem, s.design.Constraints, mapper.Options{
		Seed: 1, Threads: 1, MaxEvals: 200, Top: 2}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, _, err := a.searchResult(predict.Ending{Always: t.Context(), Finish: t.Context(), Extras: ended,
		Interrupted: ended}, s)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Candidates); n < 2 || r.Candidates[0].WithBuffers == nil || r.Candidates[1].WithBuffers != nil {
		t.Errorf("of %d candidates, the first has %+v with buffers", n, r.Candidates[0].WithBuffers)
	}
}

// TestFinishingEnded completes a search after its time limit: every candidate has its throughput and a map file, and
// the first its mapping, but no buffer sizes.
func TestFinishingEnded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	paths, err := bigApp{Shape: bigLayers, Kernels: 60, Arrays: true, Cores: 3}.Write().Save(folder)
	if err != nil {
		t.Fatal(err)
	}
	a := app{stdout: safetext.NewWriter(io.Discard), stderr: safetext.NewWriter(io.Discard)}
	s := &searching{files: paths[:2], out: settings.SearchFiles{Name: filepath.Join(folder, "found")}}
	if s.design, err = a.design(t.Context(), s.files, design.ForSearch); err != nil {
		t.Fatal(err)
	}
	if s.found, err = mapper.Search(t.Context(), s.design.Problem, s.design.Constraints, mapper.Options{
		Seed: 1, Threads: 1, MaxEvals: 2000, Top: 3}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, maps, err := a.searchResult(predict.Ending{Always: t.Context(), Finish: ended, Extras: ended,
		Interrupted: ended}, s)
	if err != nil {
		t.Fatal(err)
	}
	n := len(s.found.Candidates)
	if len(r.Candidates) != n || len(maps) != n || len(s.missed) != n || n < 2 {
		t.Fatalf("%d candidates, %d map files and %d incomplete of %d", len(r.Candidates), len(maps), len(s.missed), n)
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		found := s.found.Candidates[i].Throughput
		if float64(c.Throughput) != found || len(c.Queues) > 0 || (len(c.Place) > 0) != (i == 0) {
			t.Errorf("candidate %d: throughput %v, want %v; %d queues, %d places", i+1, c.Throughput, found,
				len(c.Queues), len(c.Place))
		}
	}
	if err := text.Write(io.Discard, report.Terminal(r), text.Style{}); err != nil {
		t.Error(err)
	}
	if err := page.Write(io.Discard, report.Of(r), ""); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(maps[1].Path, maps[1].Text, 0o644); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), append([]string{"eval"}, append(s.files, maps[1].Path)...), io.Discard,
		&stderr); code != exitDone {
		t.Errorf("eval of the second map file ends with %d: %s", code, stderr.String())
	}
}

// TestBriefAfterSignal interrupts the search of a large application. It must write map files and throughputs of its
// candidates without details of kernels, from which a page and a text can be made.
func TestBriefAfterSignal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := bigApp{Shape: bigChain, Kernels: maxCompleted + 100, Arrays: true, Cores: 2}
	paths, err := large.Write().Save(folder)
	if err != nil {
		t.Fatal(err)
	}
	a := app{stdout: safetext.NewWriter(io.Discard), stderr: safetext.NewWriter(io.Discard)}
	s := &searching{files: paths[:2], out: settings.SearchFiles{Name: filepath.Join(folder, "found")}}
	if s.design, err = a.design(t.Context(), s.files, design.ForSearch); err != nil {
		t.Fatal(err)
	}
	if s.found, err = mapper.Search(t.Context(), s.design.Problem, s.design.Constraints, mapper.Options{
		Method: mapper.Walk, Seed: 1, Threads: 1, MaxEvals: 2, Top: 2}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, maps, err := a.searchResult(predict.Ending{Always: t.Context(), Finish: ended, Extras: ended,
		Interrupted: ended}, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) > 0 || len(r.Candidates) != len(maps) || len(maps) == 0 || len(s.missed) != len(maps) ||
		len(r.Candidates[0].Place) > 0 || len(maps[0].Text) < maxCompleted {
		t.Errorf("%d kernels, %d candidates, %d map files", len(r.Kernels), len(r.Candidates), len(maps))
	}
	var written, shown bytes.Buffer
	if err := report.Encoder(r)(&written); err != nil || written.Len() > 1<<16 {
		t.Errorf("a result of %d bytes (%v)", written.Len(), err)
	}
	if _, err := result.Decode("found", &written); err != nil {
		t.Error(err)
	}
	if err := text.Write(&shown, report.Terminal(r), text.Style{}); err != nil {
		t.Error(err)
	}
	if err := page.Write(io.Discard, report.Of(r), ""); err != nil {
		t.Error(err)
	}
}
