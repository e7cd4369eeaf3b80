package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// stranger returns a worker on another machine whose clock is an hour off.
func stranger() *Beat {
	return &Beat{Worker: "n7-12-ab", By: Process{Host: "n7", Node: "n7 boot", PID: 12, Start: "99"}, Slots: 1,
		Clock: time.Now().Add(-time.Hour).Format(time.RFC3339)}
}

// TestStale checks that a worker is dead if its count has not changed for a while by the observer's clock, whatever
// other clocks show.
func TestStale(t *testing.T) {
	f := made(t, numbers(10)...)
	b := stranger()
	if err := f.writeBeat(b); err != nil {
		t.Fatal(err)
	}
	c := &Claim{Number: 1, Worker: b.Worker, By: b.By, Careful: true, points: []int{2, 3, 4, 7},
		Made: time.Now().Add(time.Hour).Format(time.RFC3339)}
	if first, err := f.claim(c); err != nil || !first {
		t.Fatal(first, err)
	}
	if first, err := f.claim(c); err != nil || first {
		t.Errorf("a claim was made twice (error %v)", err)
	}
	if err := f.noteAt(c, 3); err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	w := NewWatch(f, time.Minute)
	w.now = func() time.Time { return clock }
	look := func(want int) {
		t.Helper()
		if err := w.Look(); err != nil {
			t.Fatal(err)
		}
		if s := w.State(); s.Running != want || s.Running+s.Waiting != 10 {
			t.Errorf("%d points running, %d wait; want %d running", s.Running, s.Waiting, want)
		}
	}
	look(4)
	clock = clock.Add(50 * time.Second)
	look(4)
	if err := f.writeBeat(b); err != nil {
		t.Fatal(err)
	}
	look(4)
	clock = clock.Add(50 * time.Second)
	look(4)
	clock = clock.Add(11 * time.Second) // silent for more than a minute
	look(0)
	for range 2 { // its present point is charged once
		if err := w.charge(); err != nil {
			t.Fatal(err)
		}
	}
	if w.tries[3] != 1 || w.tries[2] != 0 {
		t.Errorf("tries %v", w.tries)
	}
	if free, _ := w.waiting(); len(free) != 10 || free[9] != 3 {
		t.Errorf("free %v, want the point that went wrong last", free)
	}
	if !w.careful([]int{7}) || !w.careful([]int{1}) {
		t.Error("a worker must note its points before anything is known")
	}
	for n := range 2 {
		w.mark(n, 1e-3)
	}
	if !w.careful([]int{7}) || w.careful([]int{9}) {
		t.Error("want care with what a dead worker has had, and with nothing else")
	}
	if _, err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	w = NewWatch(f, time.Minute)
	w.now = func() time.Time { return clock }
	for range 2 { // silent again, but not charged again after resume
		if err := errors.Join(w.Look(), w.charge()); err != nil || w.tries[3] != 0 {
			t.Errorf("tries %v after resume (%v)", w.tries, err)
		}
		clock = clock.Add(2 * time.Minute)
	}
}

// TestChunk checks that chunks follow the measured times, and are small at the end.
func TestChunk(t *testing.T) {
	f := made(t, numbers(1000)...)
	w := NewWatch(f, time.Minute)
	if n := w.chunk(time.Minute, 1000); n != 1 {
		t.Errorf("%d points before anything was measured, want 1", n)
	}
	w.mark(0, 2)
	w.workers["a"] = &heard{beat: Beat{Slots: 4}, at: w.now()}
	w.workers["b"] = &heard{beat: Beat{Slots: 1, Ended: true}, at: w.now()}
	for _, c := range []struct{ free, want int }{{999, 30}, {80, 10}, {9, 2}, {1, 1}} {
		if n := w.chunk(time.Minute, c.free); n != c.want {
			t.Errorf("%d free: %d points, want %d", c.free, n, c.want)
		}
	}
}

func TestRanges(t *testing.T) {
	points := []int{0, 1, 2, 5, 7, 8}
	list := ranges(points)
	if len(list) != 3 || list[1] != (Range{5, 5}) {
		t.Errorf("ranges %v", list)
	}
	back := each(append(list, Range{-5, -1}, Range{9, 1 << 40}), 9)
	if len(back) != len(points) {
		t.Errorf("points %v, want %v", back, points)
	}
}

// BenchmarkLook measures a look at a campaign of 10,000 points.
func BenchmarkLook(b *testing.B) {
	f := filled(b, 10_000, 15)
	for b.Loop() {
		g, err := Open(f.Dir)
		if err != nil {
			b.Fatal(err)
		}
		w := NewWatch(g, time.Minute)
		if err := w.Look(); err != nil {
			b.Fatal(err)
		}
		if s := w.State(); s.Done != 10_000 {
			b.Fatalf("%+v", s)
		}
	}
}

// filled returns a campaign with all points done, and `each` results per file.
func filled(tb testing.TB, count, each int) *Folder {
	points := make([]Point, count)
	f, _, err := Create(tb.TempDir(), Campaign{What: What{Kind: "test", Work: "."}, Engine: Engine{Name: Slurm}}, nil,
		of(points))
	if err != nil {
		tb.Fatal(err)
	}
	for n, k := 0, 0; n < count; k++ {
		var r results
		for range each {
			if n < count {
				if err := r.add(&f.Points[n], &Output{JSON: []byte(`{"throughput": 1234567.25}`)}, 1); err != nil {
					tb.Fatal(err)
				}
				n++
			}
		}
		text, err := r.text(f, "w", "h")
		if err == nil {
			err = f.putResult(claimName(k+1, resultEnding)[len(claimsFolder)+1:], text)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return f
}

// TestLose checks that a worker is lost if Slurm does not run its job on its node, or restarted the job there.
func TestLose(t *testing.T) {
	beat := func(worker, node, job, clock string) Beat {
		return Beat{Worker: worker, Node: node, Job: job, Slots: 1, Clock: clock}
	}
	s := State{Slots: 5, Workers: []Beat{beat("a", "n1", "7_0", "09:00"), beat("b", "n2", "7_1", "09:00"),
		beat("c", "n3", "7_2", "09:00"), beat("d", "n3", "7_2", "09:05"), beat("e", "", "", "09:00")}}
	s.Lose(func(job, node string) bool { return job != "7_1" })
	names := func(list []Beat) (all string) {
		for _, b := range list {
			all += b.Worker
		}
		return all
	}
	if names(s.Workers) != "ade" || names(s.Lost) != "bc" || s.Slots != 3 {
		t.Errorf("workers %s, lost %s, %d points at once; want ade, bc, 3", names(s.Workers), names(s.Lost), s.Slots)
	}
}

// TestRemove checks that a campaign can be removed only before a worker has worked on it.
func TestRemove(t *testing.T) {
	f := made(t, "0", "1")
	if err := f.NoteRefused("sbatch failed: no such partition"); err != nil {
		t.Fatal(err)
	}
	if got := f.Refused(); got != "sbatch failed: no such partition" {
		t.Errorf("refused: %q", got)
	}
	if gone, err := f.Remove(); err != nil || !gone {
		t.Fatalf("removed %v, error %v", gone, err)
	}
	if _, err := os.Lstat(f.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	f = made(t, "0", "1")
	worked(t, f, workOptions(t, f))
	if gone, err := f.Remove(); err != nil || gone {
		t.Errorf("removed %v, error %v", gone, err)
	}
	right(t, f)
	for _, why := range []string{"once", ""} {
		if err := f.NoteRefused(why); err != nil || f.Refused() != why {
			t.Errorf("refused %q, error %v; want %q", f.Refused(), err, why)
		}
	}
}

// TestMissingFolders checks that missing parts of a campaign's folder are named and recreated by resume, and not
// mistaken for a missing campaign.
func TestMissingFolders(t *testing.T) {
	f := made(t, "0", "1")
	worked(t, f, workOptions(t, f))
	for _, name := range []string{resultsFolder, claimsFolder} {
		if err := os.RemoveAll(f.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := NewWatch(f, 0).Look(); err == nil || os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
	if _, err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	worked(t, f, workOptions(t, f))
	right(t, f)
	if err := os.RemoveAll(f.path(pointsFolder)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f.Dir); err == nil || os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}

// TestAround checks that paths into the folder of a campaign are detected, by any name, existing or not.
func TestAround(t *testing.T) {
	f := made(t, "0")
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, name) }
	dir, err := filepath.EvalSymlinks(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(f.Dir, at("folder")), os.Symlink(f.path(campaignFile), at("file.json")),
		os.Symlink(f.path(inputsFolder), at("inputs"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		f.Dir: dir, f.path(campaignFile): dir, f.path("new", "table.csv"): dir, at("folder/x.csv"): dir,
		at("file.json"): dir, at("inputs/app.x"): dir, home + "/inputs/../x.csv": dir, at("x.csv"): "",
		filepath.Dir(f.Dir): "", f.path("..", "x.csv"): "",
	} {
		if got := Around(path); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
		if itself := path == f.Dir; (Below(path) != want) != itself {
			t.Errorf("%s is below %q", path, Below(path))
		}
	}
}
