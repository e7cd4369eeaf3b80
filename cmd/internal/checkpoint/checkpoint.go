// Package checkpoint stores the progress of an unfinished command in a file for --resume.
package checkpoint

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
	"xopt/internal/safetext"
	"xopt/mapper/result"
)

// file is the content of a checkpoint: the command with its inputs, and its progress.
type file struct {
	Schema  int            `json:"schema"`
	Tool    string         `json:"tool"`
	Command string         `json:"unfinished"`
	Inputs  []result.Input `json:"inputs"`
	Flags   []string       `json:"flags"` // flags that the answer depends on
	Done    any            `json:"done"`
}

// schema is the version of the file format.
const schema = 1

// Saver writes the checkpoint of a command and removes it at the end.
type Saver struct {
	Path  string
	Line  []string      // the command line
	Off   bool          // the file cannot be written
	Every time.Duration // maximum time between writes; 0 to write only at the end

	head    file
	last    time.Time
	resumed bool
	left    bool // Path contains the checkpoint of this call
	// found is the file that existed at the path when the command started. broken is the error of reading that file.
	// other is true if the file belongs to an unfinished call with other inputs or flags. The user may still resume
	// that call.
	found  file
	done   json.RawMessage
	broken error
	other  bool
}

// New returns the saver of a command whose answer depends on the given inputs and flags.
func New(path, command string, inputs []result.Input, flags []string, every time.Duration) *Saver {
	s := &Saver{Path: path, Every: every, last: time.Now(),
		head: file{Schema: schema, Tool: "xopt", Command: command, Inputs: inputs, Flags: flags}}
	s.found.Done = &s.done
	s.broken = s.find()
	u := &s.found
	s.other = s.broken == nil && (u.Command != command || !slices.Equal(u.Inputs, inputs) ||
		!slices.Equal(u.Flags, flags))
	return s
}

// find reads the file at the path.
func (s *Saver) find() error {
	f, err := infile.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	return (jsonfile.Format{What: "checkpoint", Schema: schema, Tool: "xopt"}).Read(s.Path, f, &s.found)
}

// Read reads the progress of an earlier call with the same inputs and flags.
func (s *Saver) Read(done any) error {
	switch {
	case errors.Is(s.broken, fs.ErrNotExist):
		return faults.NoCheckpoint.Usagef("--resume: checkpoint %s does not exist (leave out --resume, or repeat "+
			"the -o NAME of the interrupted command)", s.Path)
	case s.broken != nil:
		return fault.Usage(fmt.Errorf("--resume: %w", s.broken))
	case s.other:
		for i, in := range s.head.Inputs {
			if i >= len(s.found.Inputs) || s.found.Inputs[i] != in {
				return faults.OtherInputs.Usagef("--resume: checkpoint %s belongs to a different or changed %s "+
					"(leave out --resume to start again)", s.Path, in.Path)
			}
		}
		return faults.OtherInputs.Usagef("--resume: checkpoint %s belongs to a command with other options (%s); "+
			"leave out --resume to start again",
			s.Path, safetext.ShellLine(s.found.Flags))
	}
	if err := json.Unmarshal(s.done, done); err != nil {
		return faults.DamagedCheckpoint.Usagef("--resume: checkpoint %s is damaged: %w (leave out --resume to "+
			"start again)", s.Path, err)
	}
	s.resumed, s.left = true, true
	return nil
}

// Save writes the progress if half of the period has passed. It never replaces the checkpoint of another unfinished
// call, but [Saver.Keep] may replace it.
func (s *Saver) Save(done any) error {
	if s.Off || s.other || s.Every == 0 || time.Since(s.last) < s.Every/2 {
		return nil
	}
	return s.write(done)
}

// Keep writes the progress of a command that ends unfinished.
func (s *Saver) Keep(done any) error {
	if s.Off {
		return faults.CheckpointFailed.Errorf("cannot write checkpoint %s: --resume cannot continue", s.Path)
	}
	return s.write(done)
}

func (s *Saver) write(done any) error {
	s.last, s.other = time.Now(), false
	c := s.head
	c.Done = done
	err := output.WriteFile(s.Path, func(w io.Writer) error { return json.NewEncoder(w).Encode(c) })
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.Path, err)
	}
	s.left = true
	return nil
}

// Left reports whether this call, or the call that it resumes, has left a checkpoint. A nil Saver has none.
func (s *Saver) Left() bool { return s != nil && s.left }

// Resume returns the command line that continues from the checkpoint; "" if there is none.
func (s *Saver) Resume() string {
	if !s.Left() {
		return ""
	}
	return ResumeLine(s.Line)
}

// ResumeLine returns the command line that continues an unfinished command.
func ResumeLine(command []string) string {
	const resume = "--resume"
	if !slices.Contains(command, resume) {
		command = append(slices.Clone(command), resume)
	}
	return safetext.ShellLine(command)
}

// Resumed reports whether the call continues from a checkpoint.
func (s *Saver) Resumed() bool { return s.resumed }

// Close removes the checkpoint of a completed call. It does not touch the checkpoint of another unfinished call.
func (s *Saver) Close() error {
	if s.other {
		return nil
	}
	s.left = false
	if err := os.Remove(s.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the checkpoint of %s: %w", s.head.Command, err)
	}
	return nil
}
