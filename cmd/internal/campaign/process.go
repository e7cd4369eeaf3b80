package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"xopt/cmd/faults"
	"xopt/internal/files/infile"
)

// OwnFolder is the placeholder for a point's own folder in its command line. The folder remains until the point is
// done, so that another process can resume the point.
const OwnFolder = "{folder}"

// Every is the placeholder for the checkpoint period in a point's command line.
const Every = "{every}"

// checkpointEnding is the extension of checkpoints for --resume.
const checkpointEnding = ".checkpoint.json"

// Output is the answer of a point: the output and the files of its command.
type Output struct {
	JSON  json.RawMessage   `json:"json"`
	Files map[string]string `json:"files,omitempty"` // text files in the point's folder, by name; without JSON files
}

// Exit codes that a worker distinguishes.
const (
	exitDone   = 0
	exitFailed = 1 // also for an incomplete result
	exitUsage  = 2 // also for an unusable checkpoint
	maxExit    = exitUsage
)

// failedError is an error that the command of a point reported.
type failedError struct {
	code int
	said string
}

func (e *failedError) Error() string { return e.said }

// diedError describes the end of a process that gave no answer.
type diedError struct{ how, output string }

func (e *diedError) Error() string { return e.how }

// ownFolder returns the folder of a point.
func (f *Folder) ownFolder(n int) string { return f.path(keptFolder, fmt.Sprintf("%06d", n)) }

// hasFolder reports whether a point's command has its own folder.
func (p *Point) hasFolder() bool {
	return strings.Contains(strings.Join(p.Args, "\x00"), OwnFolder)
}

// run runs the command of a point. The error is a *failedError, a *diedError or an error of the folder.
func (w *worker) run(ctx context.Context, p *Point) (*Output, error) {
	own := w.f.ownFolder(p.N)
	if p.hasFolder() {
		if err := os.MkdirAll(own, 0o755); err != nil {
			return nil, err
		}
	}
	for name, text := range p.Files {
		if filepath.Base(name) != name {
			return nil, faults.DamagedCampaign.Errorf("point %d has a file outside its folder: %s (submit the "+
				"campaign again, in another folder)", p.N+1, name)
		}
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	words := strings.NewReplacer(OwnFolder, own, Every, w.pace.flush.String())
	var args []string
	for _, word := range p.Args {
		args = append(args, words.Replace(word))
	}
	left, err := filepath.Glob(filepath.Join(own, "*"+checkpointEnding))
	if err != nil || len(left) == 0 {
		return w.execute(ctx, p, args)
	}
	out, err := w.execute(ctx, p, append(args, "--resume"))
	var failed *failedError
	if !errors.As(err, &failed) || failed.code != exitUsage {
		return out, err
	}
	for _, path := range left { // the command cannot use its checkpoints
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return w.execute(ctx, p, args)
}

// cleanup is the time that an interrupted command has for removing its temporary files, before the worker kills it.
const cleanup = 1500 * time.Millisecond

// execute runs the command of a point with the given arguments. If ctx ends, execute interrupts the command. When the
// command ends, execute kills the other processes of its group.
func (w *worker) execute(ctx context.Context, p *Point, args []string) (*Output, error) {
	var printed bytes.Buffer
	output := new(tail)
	cmd := w.o.Command(args)
	cmd.Stdout, cmd.Stderr = &printed, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = waitForPipes
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the command of a point: %w", err)
	}
	killAll := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the processes may have ended
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(cleanup):
			killAll()
		}
	})
	err := cmd.Wait()
	close(ended)
	stop()
	killAll()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && cmd.ProcessState == nil {
		return nil, &diedError{err.Error(), output.String()}
	}
	code, text := cmd.ProcessState.ExitCode(), strings.TrimSpace(output.String())
	switch {
	case !cmd.ProcessState.Exited() || code > maxExit:
		return nil, &diedError{cmd.ProcessState.String(), text}
	case code != exitDone && !(code == exitFailed && text == "" && json.Valid(printed.Bytes())):
		return nil, &failedError{code, strings.TrimPrefix(text, "xopt: ")}
	}
	answer, err := w.f.keptOf(printed.Bytes())
	if err != nil {
		return nil, &failedError{exitFailed, err.Error()}
	}
	files, err := w.f.written(p)
	return &Output{JSON: answer, Files: files}, err
}

// keptOf returns the part of a command's output that the campaign stores as the answer.
func (f *Folder) keptOf(printed []byte) (json.RawMessage, error) {
	if len(f.Keep) == 0 {
		if !json.Valid(printed) {
			return nil, errors.New("the command did not print JSON")
		}
		return printed, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(printed, &all); err != nil {
		return nil, fmt.Errorf("the command did not print JSON: %w", err)
	}
	kept := make(map[string]json.RawMessage)
	for _, name := range f.Keep {
		if x, ok := all[name]; ok {
			kept[name] = x
		}
	}
	return json.Marshal(kept)
}

// written returns the text files that a command wrote into its point's folder, without JSON files.
func (f *Folder) written(p *Point) (map[string]string, error) {
	if !p.hasFolder() {
		return nil, nil
	}
	entries, err := os.ReadDir(f.ownFolder(p.N))
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for _, e := range entries {
		if _, given := p.Files[e.Name()]; given || filepath.Ext(e.Name()) == ".json" || !e.Type().IsRegular() {
			continue
		}
		text, err := infile.Read(filepath.Join(f.ownFolder(p.N), e.Name()), maxFile)
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(text)
	}
	return files, nil
}

// forget removes the folders of completed points.
func (f *Folder) forget(points []int) error {
	for _, n := range points {
		if err := os.RemoveAll(f.ownFolder(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the folder of a point: %w", err)
		}
	}
	return nil
}

// waitForPipes is the timeout after which the worker closes an output that descendants of a dead process keep open.
const waitForPipes = 2 * time.Second

// tail stores the last tailBytes bytes of the output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if excess := len(t.text) - tailBytes; excess > 0 {
		t.text = append(t.text[:0], t.text[excess:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "?")
}

// Role is the role of a process in a campaign, set by its parent.
type Role struct {
	Point   bool    `json:",omitempty"` // the process computes a point and uses only the options of its command line
	Collect string  `json:",omitempty"` // folder of the campaign whose answers the command shows
	Partial bool    `json:",omitempty"` // show the answers even if some are missing
	Engine  *Engine `json:",omitempty"` // engine of the campaign that the process creates
	File    string  `json:",omitempty"` // campaign file that describes the campaign
}

// roleVariable is the environment variable that contains the role of a process.
const roleVariable = "XOPT_CAMPAIGN_ROLE"

// Variable returns the environment variable that assigns this role to a process.
func (r *Role) Variable() string {
	text, err := json.Marshal(r)
	if err != nil { // cannot happen: the fields are texts and numbers
		return roleVariable + "="
	}
	return roleVariable + "=" + string(text)
}

// RemoveRole returns the role of this process and removes it from the environment, so child processes have no role.
func RemoveRole() (Role, error) {
	var r Role
	text, ok := os.LookupEnv(roleVariable)
	if !ok {
		return r, nil
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("the variable %s is from another version of xopt: %w (unset the variable)", roleVariable,
			err)
	}
	return r, os.Unsetenv(roleVariable)
}

// Sealed reports whether the process uses only the options of its command line.
func (r *Role) Sealed() bool { return r.Point || r.Collect != "" }
