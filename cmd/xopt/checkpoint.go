package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"xopt/cmd/faults"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/jsonfile"
	"xopt/internal/files/output"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// checkpoint is where a search is, with what it searches for.
type checkpoint struct {
	Schema     int            `json:"schema"`
	Tool       string         `json:"tool"`
	Checkpoint bool           `json:"checkpoint"`
	Inputs     []result.Input `json:"inputs"`
	Flags      []string       `json:"flags"` // that scores depend on, and the goal
	State      *mapper.State  `json:"state"`
}

// checkpointSchema is the version of the file.
const checkpointSchema = 3

// keeper writes the checkpoints of one search.
type keeper struct {
	path  string
	every time.Duration
	head  checkpoint
	begun time.Time
	again bool  // the search is resumed
	left  bool  // a checkpoint is there when the search has ended
	err   error // of the last that could not be written
}

// keeper prepares the checkpoints of a search, and reads the one that it goes on from.
func (a *app) keeper(d *design.Design, goal mapper.Goal, out outputs, resume bool) (*keeper, *mapper.State, error) {
	k := &keeper{path: out.checkpoint(), every: a.settings.Checkpoint, begun: time.Now()}
	k.head = checkpoint{Schema: checkpointSchema, Tool: "xopt", Checkpoint: true, Inputs: predict.Describe(d).Inputs,
		Flags: append(a.scoreFlags(), a.goalFlags()...)}
	if path := a.settings.Profile; path != "" {
		sum, err := hashOf(path)
		if err != nil {
			return nil, nil, fault.Usage(fmt.Errorf("--profile: %w", err))
		}
		k.head.Inputs = append(k.head.Inputs, result.Input{Path: path, SHA256: sum})
	}
	if !resume {
		return k, nil, nil
	}
	k.again = true
	state, err := k.read()
	return k, state, err
}

func hashOf(path string) (string, error) {
	f, err := infile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// read reads the checkpoint and refuses one of other inputs.
func (k *keeper) read() (*mapper.State, error) {
	f, err := infile.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.NoCheckpoint.Usagef("%s does not exist, so that --resume has nothing to go on "+
			"with: leave it out, or name the output of that search: -o NAME", k.path)
	}
	if err != nil {
		return nil, fault.Usage(fmt.Errorf("--resume: %w", err))
	}
	defer f.Close()
	var c checkpoint
	if err := (jsonfile.Format{What: "checkpoint", Schema: checkpointSchema, Tool: "xopt"}).Read(k.path, f,
		&c); err != nil {
		return nil, fault.Usage(fmt.Errorf("--resume: %w", err))
	}
	for i, in := range k.head.Inputs {
		if i >= len(c.Inputs) || c.Inputs[i] != in {
			return nil, faults.OtherInputs.Usagef("%s is of another %s, or of one that was changed since; "+
				"search anew without --resume", k.path, in.Path)
		}
	}
	if len(c.Inputs) != len(k.head.Inputs) || !slices.Equal(c.Flags, k.head.Flags) {
		return nil, faults.OtherInputs.Usagef("%s is of a search with other files or flags (%s); search "+
			"with those, or without --resume", k.path, shellLine(c.Flags))
	}
	if c.State == nil {
		return nil, faults.NoCheckpoint.Usagef("--resume: %s holds no search", k.path)
	}
	return c.State, nil
}

// save returns what writes checkpoints; nil where none are wanted. What took no time is not
// worth keeping, unless ctx ended it.
func (k *keeper) save(ctx context.Context) func(*mapper.State) {
	if k.every == 0 {
		return nil
	}
	return func(s *mapper.State) {
		if time.Since(k.begun) < k.every/2 && ctx.Err() == nil && !k.again {
			return
		}
		c := k.head
		c.State = s
		k.err = output.WriteFile(k.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(c) })
		if k.err != nil {
			k.err = fmt.Errorf("writing %s: %w", k.path, k.err)
			return
		}
		k.left = true
	}
}

// end takes the checkpoint away where there is nothing to go on with.
func (k *keeper) end(found *mapper.Result) error {
	if found.Status == mapper.TimeLimit || found.Status == mapper.EvalLimit || found.Status == mapper.Interrupted {
		return nil
	}
	if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the checkpoint of a search that is done: %w", err)
	}
	k.left = false
	return nil
}
