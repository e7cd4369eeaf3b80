package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/jsonfile"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// unfinished is the file that an interrupted command leaves for --resume: what it was called
// with, and what it has done.
type unfinished struct {
	Schema int             `json:"schema"`
	Tool   string          `json:"tool"`
	Of     string          `json:"unfinished"` // the command
	Inputs []result.Input  `json:"inputs"`
	Flags  []string        `json:"flags"` // that the answer depends on
	Done   json.RawMessage `json:"done"`
}

// unfinishedSchema is the version of the file.
const unfinishedSchema = 1

// saver writes such a file now and then, and takes it away at the end.
type saver struct {
	path  string
	head  unfinished
	last  time.Time
	every time.Duration // 0 for at the end only
	off   bool          // there is no place for the file
	// What was at the path when the command began, or why it cannot be read; other is that it is of an unfinished call
	// with other inputs or flags, which may still be resumed.
	found  unfinished
	broken error
	other  bool
}

// newSaver makes the saver of a command. What is at its path must be its own.
func (a *app) newSaver(command, name string, inputs []result.Input, flags []string) (*saver, error) {
	s := &saver{path: name + "." + command + ".checkpoint.json", last: time.Now(), every: a.settings.Checkpoint,
		head: unfinished{Schema: unfinishedSchema, Tool: "xopt", Of: command, Inputs: slices.Clone(inputs),
			Flags: flags}}
	if path := a.settings.Profile; path != "" {
		sum, err := hashOf(path)
		if err != nil {
			return nil, fault.Usage(fmt.Errorf("--profile: %w", err))
		}
		s.head.Inputs = append(s.head.Inputs, result.Input{Path: path, SHA256: sum})
	}
	p := a.plan()
	p.File("checkpoint", s.path, output.Unfinished())
	err := p.Err()
	if _, e := os.Lstat(s.path); err != nil && errors.Is(e, fs.ErrNotExist) {
		a.noteID(faults.NotResumable, "warning: %v; if this is interrupted, it cannot be resumed", err)
		s.off, err = true, nil // the answer itself may go elsewhere
	}
	s.broken = s.find()
	u := &s.found
	s.other = s.broken == nil && (u.Of != s.head.Of || !slices.Equal(u.Inputs, s.head.Inputs) ||
		!slices.Equal(u.Flags, s.head.Flags))
	return s, err
}

// find reads what is at the path of the file.
func (s *saver) find() error {
	f, err := infile.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	return (jsonfile.Format{What: "checkpoint", Schema: unfinishedSchema, Tool: "xopt"}).Read(s.path, f, &s.found)
}

// read takes up what an earlier call of the same has done.
func (s *saver) read(done any) error {
	switch {
	case errors.Is(s.broken, fs.ErrNotExist):
		return faults.NoCheckpoint.Usagef("%s does not exist, so that --resume has nothing to go on with: "+
			"leave it out", s.path)
	case s.broken != nil:
		return fault.Usage(fmt.Errorf("--resume: %w", s.broken))
	case s.other:
		return faults.OtherInputs.Usagef("%s is of other files, of files that were changed since, or of "+
			"other flags (%s); leave out --resume to begin anew", s.path, shellLine(s.found.Flags))
	}
	if err := json.Unmarshal(s.found.Done, done); err != nil {
		return faults.DamagedCheckpoint.Usagef("--resume: %s is damaged: %w", s.path, err)
	}
	return nil
}

// save writes what has been done, when it is time or now. The file of another unfinished call is replaced only where
// this one was interrupted.
func (s *saver) save(done any, now bool) error {
	if s.off && now {
		return faults.CheckpointFailed.Errorf("%s could not be written: what was done was not kept", s.path)
	}
	if s.off || !now && (s.other || s.every == 0 || time.Since(s.last) < s.every) {
		return nil
	}
	s.last, s.other = time.Now(), false
	text, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("keeping what was done: %w", err)
	}
	u := s.head
	u.Done = text
	return output.WriteFile(s.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(u) })
}

// end removes the file, because there is nothing to go on with. That of another unfinished call stays.
func (s *saver) end() error {
	if s.other {
		return nil
	}
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what was kept of an unfinished %s: %w", s.head.Of, err)
	}
	return nil
}
