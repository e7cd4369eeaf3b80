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

	"xopt/internal/files/infile"
)

// OwnFolder is the placeholder for a point's folder in its command line. Files there are kept until the point is
// done, so that another process can resume it.
const OwnFolder = "{folder}"

// Every is the placeholder for the checkpoint period in the command line of a point.
const Every = "{every}"

// checkpointEnding is the file ending of checkpoints for --resume.
const checkpointEnding = ".checkpoint.json"

// Output is the answer of a point: its command's output and files.
type Output struct {
	JSON  json.RawMessage   `json:"json"`
	Files map[string]string `json:"files,omitempty"` // texts in the folder of the point, by name; not JSON
}

// Exit codes of commands that a worker distinguishes.
const (
	exitDone   = 0
	exitFailed = 1 // also of a command that prints an incomplete result
	exitUsage  = 2 // also of a checkpoint that cannot be used
	exitMost   = exitUsage
)

// failedError is an error reported by the command of a point.
type failedError struct {
	code int
	said string
}

func (e *failedError) Error() string { return e.said }

// diedError describes how a process ended without an answer.
type diedError struct{ how, output string }

func (e *diedError) Error() string { return e.how }

// ownFolder returns the folder of a point.
func (f *Folder) ownFolder(n int) string { return f.path(keptFolder, fmt.Sprintf("%06d", n)) }

// hasFolder reports whether a point's command has its own folder.
func (p *Point) hasFolder() bool {
	return strings.Contains(strings.Join(p.Args, "\x00"), OwnFolder)
}

// run runs the command of a point. The error is a *failedError, a *diedError, or concerns the folder.
func (w *worker) run(ctx context.Context, p *Point) (*Output, error) {
	own := w.f.ownFolder(p.N)
	if p.hasFolder() {
		if err := os.MkdirAll(own, 0o755); err != nil {
			return nil, err
		}
	}
	for name, text := range p.Files {
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
	for _, path := range left { // they are damaged
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return w.execute(ctx, p, args)
}

// execute runs the command of a point with these arguments, in its own process group, which ends with it.
func (w *worker) execute(ctx context.Context, p *Point, args []string) (*Output, error) {
	var printed bytes.Buffer
	said := new(tail)
	cmd := w.o.Command(args)
	cmd.Stdout, cmd.Stderr = &printed, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = waitForPipes
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the command of a point: %w", err)
	}
	killAll := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // they may have ended
	stop := context.AfterFunc(ctx, killAll)
	err := cmd.Wait()
	stop()
	killAll()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && cmd.ProcessState == nil {
		return nil, &diedError{err.Error(), said.String()}
	}
	code, text := cmd.ProcessState.ExitCode(), strings.TrimSpace(said.String())
	switch {
	case !cmd.ProcessState.Exited() || code > exitMost:
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

// keptOf returns the part of a command's output that is stored as its answer.
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

// written returns the text files in a point's folder.
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

// waitForPipes limits the time for which descendants of a dead process may keep its output open.
const waitForPipes = 2 * time.Second

// tail stores the end of the output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailBytes is the number of bytes that a tail stores.
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

// Role is the part of a process in a campaign, given by the process that started it.
type Role struct {
	Point   bool    `json:",omitempty"` // it computes a point, with the options of its command line only
	Collect string  `json:",omitempty"` // the folder of the campaign whose answers its command shows
	Partial bool    `json:",omitempty"` // although some are missing
	Engine  *Engine `json:",omitempty"` // of the campaign that it makes
	File    string  `json:",omitempty"` // the campaign file that describes it
}

// roleVariable is the environment variable with the role of a process.
const roleVariable = "XOPT_CAMPAIGN_ROLE"

// Variable returns the environment variable of a process with this role.
func (r *Role) Variable() string {
	text, err := json.Marshal(r)
	if err != nil { // its fields are texts and numbers
		return roleVariable + "="
	}
	return roleVariable + "=" + string(text)
}

// TakeRole returns the role of this process and removes it from the environment, so that child processes have none.
func TakeRole() (Role, error) {
	var r Role
	text, ok := os.LookupEnv(roleVariable)
	if !ok {
		return r, nil
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("the variable %s is from another version of xopt: %w", roleVariable, err)
	}
	return r, os.Unsetenv(roleVariable)
}

// Sealed reports whether a process uses only the options of its command line.
func (r *Role) Sealed() bool { return r.Point || r.Collect != "" }
