package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// childOf makes this program act as the command of a point.
const childOf = "CAMPAIGN_TEST_CHILD"

// TestMain lets workers run this program as the command of a point.
func TestMain(m *testing.M) {
	if os.Getenv(childOf) != "" {
		os.Exit(beChild(os.Args[1], os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// beChild computes a point by its label: a number, "crash", "wrong", "sleep" or "long".
func beChild(label, number string, more []string) int {
	switch label {
	case "crash":
		fmt.Fprintln(os.Stderr, "the kernel ran away")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "wrong":
		fmt.Fprintln(os.Stderr, "xopt: no such config")
		return exitFailed
	case "sleep":
		time.Sleep(time.Minute)
	case "tidy":
		return tidy(more[0])
	case "long":
		if code := long(more[0], more[1:]); code != 0 {
			return code
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return exitUsage
	}
	fmt.Printf("{\n  \"label\": %q, \"square\": %d}\n", label, n*n)
	return 0
}

// made returns a campaign of points with these labels.
func made(t *testing.T, labels ...string) *Folder {
	t.Helper()
	points := make([]Point, len(labels))
	for i, l := range labels {
		points[i].Label, points[i].Args = l, []string{l, strconv.Itoa(i)}
		if l == "long" || l == "tidy" {
			points[i].Args = append(points[i].Args, OwnFolder)
		}
	}
	in := filepath.Join(t.TempDir(), "app.x")
	if err := os.WriteFile(in, []byte("block A {};"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, there, err := Create(filepath.Join(t.TempDir(), "run"), Campaign{What: What{Kind: "test", Work: ".", Cores: 1},
		Engine: Engine{Name: Local, ChunkTime: 50 * time.Millisecond, Stale: time.Minute}},
		[]Copied{{From: in, To: "app.x"}}, of(points))
	if err != nil || there {
		t.Fatalf("there %v, error %v", there, err)
	}
	return f
}

// of returns a function that returns the given points.
func of(points []Point) func() ([]Point, error) {
	return func() ([]Point, error) { return points, nil }
}

func numbers(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return list
}

// workOptions returns options that run this program for the points.
func workOptions(t *testing.T, f *Folder) WorkOptions {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return WorkOptions{Slots: 2, Note: func(text string) { t.Log(text) }, Command: func(args []string) *exec.Cmd {
		cmd := exec.Command(self, args...)
		cmd.Env = append(os.Environ(), childOf+"=1")
		return cmd
	}}
}

// worked runs a worker until the campaign ends.
func worked(t *testing.T, f *Folder, o WorkOptions) *State {
	t.Helper()
	s, err := Work(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// right checks that all answers, except those of the given points, exist and are right.
func right(t *testing.T, f *Folder, but ...int) {
	t.Helper()
	list, damaged, differ, err := f.Answers()
	if err != nil || len(damaged)+len(differ) > 0 {
		t.Fatalf("error %v, damaged %v, differ %v", err, damaged, differ)
	}
	left := make(map[int]bool)
	for _, n := range but {
		left[n] = true
	}
	for n, x := range list {
		want := fmt.Sprintf(`{"label":%q,"square":%d}`, f.Points[n].Label, n*n)
		switch {
		case left[n] != (x == nil):
			t.Errorf("point %d: answer %v", n, x)
		case x != nil && string(x.JSON) != want:
			t.Errorf("point %d: %s, want %s", n, x.JSON, want)
		}
	}
}

func TestWork(t *testing.T) {
	f := made(t, numbers(40)...)
	s := worked(t, f, workOptions(t, f))
	if !s.Complete() || s.Done != 40 || s.Running+s.Waiting+s.Failed+s.Aside != 0 {
		t.Errorf("state %+v", s)
	}
	right(t, f)
	before, err := f.names(resultsFolder)
	if err != nil {
		t.Fatal(err)
	}
	worked(t, f, workOptions(t, f))
	if after, _ := f.names(resultsFolder); len(after) != len(before) {
		t.Errorf("%d files of results after working on what is done, want %d", len(after), len(before))
	}
}

// several runs three workers on a campaign.
func several(t *testing.T, f *Folder) {
	t.Helper()
	var group sync.WaitGroup
	for range 3 {
		same, err := Open(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			if _, err := Work(t.Context(), same, workOptions(t, same)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestSeveralWorkers checks that workers that share only the folder compute no point twice.
func TestSeveralWorkers(t *testing.T) {
	f := made(t, numbers(60)...)
	several(t, f)
	right(t, f)
	names, _ := f.names(resultsFolder)
	seen := make(map[int]string)
	for _, name := range names {
		h, err := f.readHead(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range h.Done {
			if seen[d.N] != "" {
				t.Errorf("point %d is in %s and %s", d.N, seen[d.N], name)
			}
			seen[d.N] = name
		}
	}
}

// TestCrash checks that a point that crashes three times is given up with its output, that one that reports an error
// fails, and that the others complete. Resume retries both.
func TestCrash(t *testing.T) {
	f := made(t, "0", "crash", "2", "wrong", "4")
	s := worked(t, f, workOptions(t, f))
	if s.Done != 3 || s.Aside != 1 || s.Failed != 1 || !s.IsOver() || s.Complete() {
		t.Errorf("state %+v", s)
	}
	right(t, f, 1, 3)
	if len(s.Failures) != 2 || s.Failures[0].How != "signal: killed" || !strings.Contains(s.Failures[0].Output,
		"the kernel ran away") || s.Failures[1].How != "no such config" || !s.Failures[1].Wrong {
		t.Errorf("failures %+v", s.Failures)
	}
	if names, _ := f.names(failedFolder); len(names) != MaxTries+1 {
		t.Errorf("failures noted: %v", names)
	}
	if _, err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	w := NewWatch(f, time.Minute)
	if err := w.Look(); err != nil {
		t.Fatal(err)
	}
	if s := w.State(); s.Waiting != 2 || s.Done != 3 {
		t.Errorf("after Resume: %+v", s)
	}
}

func TestSame(t *testing.T) {
	f := made(t, numbers(3)...)
	again := func(version, option string) error {
		points := func() ([]Point, error) { return nil, errors.New("points were listed again") }
		_, there, err := Create(f.Dir, Campaign{What: What{Kind: "test", Work: ".", Cores: 1, Version: version,
			Options: strings.Fields(option)}},
			[]Copied{{From: f.Input("app.x"), To: "app.x"}}, points)
		if !there {
			t.Error("it was made anew")
		}
		return err
	}
	if err := again("", ""); err != nil {
		t.Error(err)
	}
	var other *OtherError
	for _, err := range []error{again("2", ""), again("", "--seed")} {
		if !errors.As(err, &other) {
			t.Errorf("error %v, want that the folder contains another campaign", err)
		}
	}
	if err := os.WriteFile(f.Input("app.x"), []byte("block B {};"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Resume(); err == nil || !strings.Contains(err.Error(), "app.x was changed or is damaged") {
		t.Errorf("error %v", err)
	}
	if err := again("", ""); !errors.As(err, &other) {
		t.Errorf("error %v, want that the folder contains another campaign", err)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{home: "contains mine.txt, which does not belong to a campaign",
		filepath.Join(home, "mine.txt"):        "mine.txt is a file",
		filepath.Join(home, "mine.txt", "run"): "mine.txt is a file"} {
		var occupied *OccupiedError
		if _, _, err := Create(dir, Campaign{}, nil, of(make([]Point, 1))); !errors.As(err, &occupied) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v", err)
		}
	}
}

// TestDamaged checks that damaged files are named, and only their points are computed again.
func TestDamaged(t *testing.T) {
	f := made(t, numbers(12)...)
	worked(t, f, workOptions(t, f))
	names, err := f.names(resultsFolder)
	if err != nil || len(names) < 4 {
		t.Fatalf("%v %v", names, err)
	}
	spoil := []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { return nil },
		func(b []byte) []byte { return []byte(strings.Replace(string(b), `"label"`, `"lable"`, 1)) },
	}
	for i, s := range spoil {
		path := f.path(resultsFolder, names[i])
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, s(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, damaged, _, err := f.Answers(); err != nil || len(damaged) != len(spoil) {
		t.Errorf("damaged %v, error %v", damaged, err)
	}
	damaged, err := f.Resume()
	if err != nil || len(damaged) != len(spoil) || !strings.Contains(damaged[0].Error(), names[0]+" is damaged") {
		t.Fatalf("damaged %v, error %v", damaged, err)
	}
	for _, folder := range []string{claimsFolder, workersFolder} { // neither is the truth
		broken, _ := f.names(folder)
		for _, name := range broken {
			if err := os.WriteFile(f.path(folder, name), []byte("{"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	worked(t, f, workOptions(t, f))
	right(t, f)
}

// TestLinks checks that a campaign whose folder is a link is rejected, and that a failed creation leaves nothing.
func TestLinks(t *testing.T) {
	f := made(t, numbers(2)...)
	for _, name := range []string{resultsFolder, workersFolder} {
		away := filepath.Join(t.TempDir(), name)
		if err := errors.Join(os.Rename(f.path(name), away), os.Symlink(away, f.path(name))); err != nil {
			t.Fatal(err)
		}
		var link *LinkError
		if _, err := Open(f.Dir); !errors.As(err, &link) || link.Path != f.path(name) {
			t.Errorf("%s is a link: error %v", name, err)
		}
		if err := errors.Join(os.Remove(f.path(name)), os.Rename(away, f.path(name))); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "new")
	blocked := func() ([]Point, error) { // fill cannot replace it
		return []Point{{Label: "1", Args: []string{"1"}}}, os.MkdirAll(filepath.Join(filepath.Dir(dir), "x"), 0o700)
	}
	from := filepath.Join(filepath.Dir(dir), "in")
	if err := os.WriteFile(from, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", 300) // too long for any file system
	if _, _, err := Create(dir, Campaign{}, []Copied{{From: from, To: long}}, blocked); err == nil {
		t.Fatal("a campaign was made with a name that cannot be")
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Errorf("%s was left", dir)
	}
}

// TestFull checks that a worker waits for space in a full folder, and reports it once.
func TestFull(t *testing.T) {
	f := made(t, numbers(6)...)
	writes, failed := 0, 0
	var mu sync.Mutex
	f.spoil = func() error {
		mu.Lock()
		defer mu.Unlock()
		if writes++; writes%7 == 4 {
			failed++
			return &os.PathError{Op: "write", Path: "results", Err: syscall.ENOSPC}
		}
		return nil
	}
	o, reported := workOptions(t, f), 0
	o.Note = func(text string) {
		if strings.Contains(text, "retries when disk space") {
			mu.Lock()
			reported++
			mu.Unlock()
		}
	}
	var states []bool
	o.Full = func(full bool) {
		mu.Lock()
		defer mu.Unlock()
		states = append(states, full)
	}
	worked(t, f, o)
	right(t, f)
	if failed == 0 || reported == 0 || len(states) == 0 || states[len(states)-1] {
		t.Errorf("%d writes failed, %d told, states %v", failed, reported, states)
	}
}

// TestStop checks that a stopped worker completes its points, and takes no more.
func TestStop(t *testing.T) {
	f := made(t, "0", "sleep", "2")
	o := workOptions(t, f)
	stop := make(chan struct{})
	o.Slots, o.Stop, o.Grace = 1, stop, 10*time.Millisecond
	o.Progress = func(done, _ int) { // the first is done, the second was requested
		time.AfterFunc(50*time.Millisecond, func() { close(stop) })
	}
	s := worked(t, f, o)
	if s.Done != 1 || s.Waiting != 2 || s.Failed+s.Aside+s.Running != 0 {
		t.Errorf("state %+v", s)
	}
	if err := f.Cancel(); err != nil {
		t.Fatal(err)
	}
	o.Stop = nil
	if s := worked(t, f, o); s.Done != 1 || !s.Cancelled {
		t.Errorf("cancelled: state %+v", s)
	}
}

// tidy is a point that writes a temporary file and removes it when it is interrupted.
func tidy(folder string) int {
	path := filepath.Join(folder, "temporary")
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	if os.WriteFile(path, nil, 0o644) != nil {
		return exitFailed
	}
	<-interrupted
	if os.Remove(path) != nil {
		return exitFailed
	}
	return 130
}

// TestCleansUp checks that an interrupted worker lets the command of its point remove its files.
func TestCleansUp(t *testing.T) {
	f := made(t, "tidy")
	path := filepath.Join(f.ownFolder(0), "temporary")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		testkit.Eventually(func() bool {
			_, err := os.Stat(path)
			return err == nil
		})
		cancel()
	}()
	if _, err := Work(ctx, f, workOptions(t, f)); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s was left", path)
	}
}

// long is a point whose process is killed twice. Each process continues from the last checkpoint, and the last one
// writes a text.
func long(folder string, options []string) int {
	path, n := filepath.Join(folder, "x"+checkpointEnding), 0
	if slices.Contains(options, "--resume") {
		text, err := os.ReadFile(path)
		if err == nil {
			n, err = strconv.Atoi(string(text))
		}
		if err != nil {
			return exitUsage
		}
	}
	name, text := "found.x", "a mapping"
	if n < 2 {
		name, text = filepath.Base(path), strconv.Itoa(n+1)
	}
	if os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644) != nil {
		return exitFailed
	}
	if n < 2 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return 0
}

// TestCheckpoints checks that a killed point is resumed, or restarted if its checkpoint is damaged. Its files belong
// to its answer, and its folder is removed at the end.
func TestCheckpoints(t *testing.T) {
	for _, checkpoint := range []string{"", "x"} {
		f := made(t, "0", "long", "2")
		if checkpoint != "" {
			path := filepath.Join(f.ownFolder(1), "x"+checkpointEnding)
			if err := errors.Join(os.MkdirAll(f.ownFolder(1), 0o755), os.WriteFile(path, []byte(checkpoint),
				0o644)); err != nil {
				t.Fatal(err)
			}
		}
		if s := worked(t, f, workOptions(t, f)); !s.Complete() {
			t.Errorf("state %+v", s)
		}
		right(t, f)
		if left, err := f.names(keptFolder); err != nil || len(left) > 0 {
			t.Errorf("left %v, error %v", left, err)
		}
		list, _, _, err := f.Answers()
		if err != nil || len(list[1].Files) != 1 || list[1].Files["found.x"] != "a mapping" || list[0].Files != nil {
			t.Errorf("error %v, files %v and %v", err, list[1].Files, list[0].Files)
		}
	}
}

// TestRole checks that only one process gets a role, not its children.
func TestRole(t *testing.T) {
	want := Role{Collect: "/shared/run", Partial: true}
	name, value, _ := strings.Cut(want.Variable(), "=")
	t.Setenv(name, value)
	if got, err := RemoveRole(); err != nil || got != want || !got.Sealed() {
		t.Errorf("role %+v, error %v", got, err)
	}
	if got, err := RemoveRole(); err != nil || got != (Role{}) || got.Sealed() {
		t.Errorf("role %+v, error %v, want none", got, err)
	}
}

// TestTrusted checks that a campaign whose command lines another user may have written is not run: its folder, its list
// of points or campaign.json belongs to that user, or is writable by all.
func TestTrusted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, _, err := Create(dir, Campaign{}, nil, func() ([]Point, error) {
		return []Point{{Label: "1", Args: []string{"1"}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Trusted(); err != nil {
		t.Fatal(err)
	}
	const other = 65534 // nobody
	for _, name := range []string{"", campaignFile, pointsFolder, filepath.Join(pointsFolder, "000000.jsonl")} {
		path := f.path(name)
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, before.Mode().Perm()|0o002); err != nil {
			t.Fatal(err)
		}
		if err := f.Trusted(); fault.Of(err) != faults.UntrustedCampaign {
			t.Errorf("%s is writable by every user: %v", path, err)
		}
		if err := os.Chmod(path, before.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() != 0 {
			continue
		}
		if err := os.Lchown(path, other, -1); err != nil {
			t.Fatal(err)
		}
		if err := f.Trusted(); fault.Of(err) != faults.UntrustedCampaign {
			t.Errorf("%s belongs to another user: %v", path, err)
		}
		if err := os.Lchown(path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}
