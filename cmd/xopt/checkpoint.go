package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// newSaver returns the saver of a command. It returns an error if the file at the path is not a checkpoint.
func (a *app) newSaver(path, command string, files []string, inputs []result.Input, flags []string) (*checkpoint.Saver,
	error) {
	inputs = slices.Clone(inputs)
	if path := a.settings.Profile; path != "" {
		sum, err := infile.SHA256(path)
		if err != nil {
			return nil, fault.Usage(fmt.Errorf("--profile: %w", err))
		}
		inputs = append(inputs, result.Input{Path: path, SHA256: sum})
	}
	s := checkpoint.New(path, command, inputs, flags, a.settings.Checkpoint)
	s.Line = a.line("xopt "+command, files)
	p := a.plan()
	p.File("checkpoint", path, output.Checkpoint())
	err := p.Err()
	if _, e := os.Lstat(path); err != nil && errors.Is(e, fs.ErrNotExist) {
		a.noteID(faults.NotResumable, "warning: %v; if interrupted, the command cannot be resumed", err)
		s.Off, err = true, nil // the answer itself may go elsewhere
	}
	return s, err
}

// searchSaver prepares the checkpoints of a search and reads the checkpoint to resume from.
func (a *app) searchSaver(s *searching) error {
	var err error
	s.keep, err = a.newSaver(s.out.Checkpoint(), "search", s.files, predict.Describe(s.design).Inputs,
		append(a.scoreFlags(), a.goalFlags()...))
	if err != nil || !a.settings.Resume {
		return err
	}
	s.from = new(mapper.State)
	return s.keep.Read(s.from)
}

// saveState writes the state of a search periodically.
func (s *searching) saveState(state *mapper.State) {
	s.state, s.saveErr = state, s.keep.Save(state)
}

// unfinished reports whether a search may still find better mappings.
func unfinished(status mapper.Status) bool {
	return status == mapper.TimeLimit || status == mapper.EvalLimit || status == mapper.Interrupted
}

// keepSearch writes the checkpoint of an unfinished search, unless the search was very short and neither interrupted
// nor resumed. If an interrupted search leaves no checkpoint, keepSearch prints the reason.
func (a *app) keepSearch(ctx context.Context, s *searching) {
	interrupted := ctx.Err() != nil
	switch {
	case !unfinished(s.found.Status) && interrupted:
		a.note("interrupted after the search completed; there is nothing to resume")
	case !unfinished(s.found.Status):
	case s.state == nil && interrupted && !s.keep.Left():
		a.noteID(faults.NotResumable, "note: interrupted before the first checkpoint; --resume cannot continue")
	case s.state != nil && (interrupted || s.keep.Resumed() || s.keep.Left() ||
		s.keep.Every > 0 && time.Since(a.begun) >= s.keep.Every/2):
		s.saveErr = s.keep.Keep(s.state)
	}
	if s.saveErr != nil {
		a.note("warning: %s", fault.Text(s.saveErr))
	}
}
