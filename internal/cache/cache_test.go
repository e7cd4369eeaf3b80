package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// forTest returns a cache that fails the test if it has a note.
func forTest(t *testing.T, dir string, size int64) *Cache {
	t.Helper()
	c := New(Settings{Dir: dir, Size: size, Note: func(s string) { t.Errorf("a note: %s", s) }})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// fill writes a file, and counts.
func fill(text string, made *atomic.Int32) func(string) error {
	return func(dir string) error {
		made.Add(1)
		if err := os.MkdirAll(filepath.Join(dir, "v"), 0o755); err != nil {
			return err
		}
		return errors.Join(os.WriteFile(filepath.Join(dir, "app"), []byte(text), 0o755),
			os.WriteFile(filepath.Join(dir, "v", "part"), []byte(text+text), 0o644))
	}
}

func content(t *testing.T, dir string, names ...string) string {
	t.Helper()
	var all []string
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Error(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, " ")
}

// names returns the names of the entries and the locks in a folder. Nothing else except the total may be there.
func names(t *testing.T, root string) []string {
	t.Helper()
	all, err := os.ReadDir(root)
	var out []string
	for _, e := range all {
		if name := e.Name(); name != newFolder && name != totalName {
			out = append(out, name)
		}
	}
	left, err2 := os.ReadDir(filepath.Join(root, newFolder))
	if err != nil || err2 != nil || len(left) > 0 {
		t.Errorf("%v is left of what was made, %v, %v", left, err, err2)
	}
	return out
}

// TestFolder checks that another process finds an entry unchanged.
func TestFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var made atomic.Int32
	for range 3 {
		c := forTest(t, root, 0)
		for range 2 {
			dir, err := c.Folder(context.Background(), Key("a", "b"), fill("text", &made))
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, dir, "app", "v/part"); got != "text texttext" {
				t.Errorf("kept %q", got)
			}
			if info, err := os.Stat(filepath.Join(dir, "app")); err != nil || info.Mode().Perm()&0o100 == 0 {
				t.Errorf("what can be run no longer can: %v, %v", info, err)
			}
		}
	}
	if made.Load() != 1 {
		t.Errorf("made %d times, want once", made.Load())
	}
	if Key("a", "b") == Key("ab") || Key("a", "b") == Key("a", "", "b") {
		t.Error("parts that are cut at other places have the same key")
	}
}

// TestFiles checks that files are copied in and out with their modes. Writing to a copy must not change the stored
// file.
func TestFiles(t *testing.T) {
	t.Parallel()
	root, from, to := t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"a.o", "b.o", "c.o"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte("code of "+name), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	c := forTest(t, root, 0)
	if c.Get(Key("1"), to) {
		t.Error("an empty cache has something")
	}
	c.Put(Key("1"), from, "a.o", "b.o")
	c.Put(Key("1"), from, "a.o", "b.o") // storing again has no effect
	if !c.Get(Key("1"), to) || content(t, to, "a.o", "b.o") != "code of a.o code of b.o" {
		t.Error("what was put is not there")
	}
	if _, err := os.Stat(filepath.Join(to, "c.o")); err == nil {
		t.Error("a file that was not put is there")
	}
	if err := os.WriteFile(filepath.Join(to, "a.o"), []byte("other"), 0o640); err != nil {
		t.Fatal(err)
	}
	if !forTest(t, root, 0).Get(Key("1"), to) || content(t, to, "a.o", "b.o") != "code of a.o code of b.o" {
		t.Error("a copy that was written to changed what is kept")
	}
}

// TestText checks that a text is stored unchanged, and that a damaged one is not found.
func TestText(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if text, ok := forTest(t, root, 0).GetText(Key("x")); ok {
		t.Errorf("an empty cache has %q", text)
	}
	const want = "a text\nof two lines"
	forTest(t, root, 0).PutText(Key("x"), want)
	if text, ok := forTest(t, root, 0).GetText(Key("x")); !ok || text != want {
		t.Errorf("got %q, %v", text, ok)
	}
	if err := os.WriteFile(filepath.Join(root, Key("x"), textName), []byte("a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, ok := forTest(t, root, 0).GetText(Key("x")); ok {
		t.Errorf("a damaged text is given out: %q", text)
	}
}

// TestAtOnce requests one entry concurrently from several caches, as from several processes. It must be made once, and
// all must receive it complete.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var made [4]atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		c := forTest(t, root, 0)
		for key := range made {
			group.Go(func() {
				text := fmt.Sprint("text of ", key)
				dir, err := c.Folder(context.Background(), Key(text), fill(text, &made[key]))
				if err != nil {
					t.Error(err)
					return
				}
				if got := content(t, dir, "app", "v/part"); got != text+" "+text+text {
					t.Errorf("got %q", got)
				}
			})
			group.Go(func() {
				from, to := t.TempDir(), t.TempDir()
				text := fmt.Sprint("object of ", key)
				if err := os.WriteFile(filepath.Join(from, "o"), []byte(text), 0o644); err != nil {
					t.Error(err)
				}
				c.Put(Key(text), from, "o")
				if !c.Get(Key(text), to) || content(t, to, "o") != text {
					t.Error("what was put is not there")
				}
			})
		}
	}
	group.Wait()
	for key := range made {
		if n := made[key].Load(); n != 1 {
			t.Errorf("%d was made %d times, want once", key, n)
		}
	}
	if left := names(t, root); len(left) != 2*len(made) {
		t.Errorf("%d entries are left, want %d: %v", len(left), 2*len(made), left)
	}
}

// TestWaits checks that waiting for another's entry ends with the context, and that the waiting process makes the entry
// itself if the other fails.
func TestWaits(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	first, second := forTest(t, root, 0), forTest(t, root, 0)
	started, stop := make(chan bool), make(chan bool)
	failed := make(chan error)
	go func() {
		_, err := first.Folder(context.Background(), Key("x"), func(string) error {
			close(started)
			<-stop
			return errors.New("the compiler refused")
		})
		failed <- err
	}()
	<-started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var made atomic.Int32
	if _, err := second.Folder(ctx, Key("x"), fill("x", &made)); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ended with %v", err)
	}
	close(stop)
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("what failed ended with %v", err)
	}
	if _, err := second.Folder(context.Background(), Key("x"), fill("x", &made)); err != nil || made.Load() != 1 {
		t.Errorf("made %d times, %v", made.Load(), err)
	}
}

// TestDamaged checks that an entry with any damage is made again and never returned.
func TestDamaged(t *testing.T) {
	t.Parallel()
	damages := map[string]func(dir string) error{
		"shorter":   func(dir string) error { return os.Truncate(filepath.Join(dir, "app"), 2) },
		"empty":     func(dir string) error { return os.Truncate(filepath.Join(dir, "v", "part"), 0) },
		"longer":    func(dir string) error { return os.Truncate(filepath.Join(dir, "app"), 2000) },
		"other":     func(dir string) error { return os.WriteFile(filepath.Join(dir, "app"), []byte("texT"), 0o755) },
		"gone":      func(dir string) error { return os.Remove(filepath.Join(dir, "app")) },
		"no list":   func(dir string) error { return os.Remove(filepath.Join(dir, listName)) },
		"cut list":  func(dir string) error { return os.Truncate(filepath.Join(dir, listName), 9) },
		"zero list": func(dir string) error { return os.Truncate(filepath.Join(dir, listName), 0) },
		"all gone":  os.RemoveAll,
		"emptied": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755))
		},
		"leads out": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, listName), []byte(`{"files":[{"name":"../../x"}]}`), 0o600)
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			var made atomic.Int32
			for range 2 {
				c := forTest(t, root, 0)
				dir, err := c.Folder(context.Background(), Key("x"), fill("text", &made))
				if err != nil || content(t, dir, "app", "v/part") != "text texttext" {
					t.Fatal(dir, err)
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				if err := damage(dir); err != nil {
					t.Fatal(err)
				}
			}
			if made.Load() != 2 {
				t.Errorf("made %d times, want 2", made.Load())
			}
			c, to := forTest(t, root, 0), t.TempDir()
			if c.Get(Key("x"), to) {
				t.Error("a damaged entry was copied")
			}
			c.Put(Key("x"), os.TempDir()) // an entry may have no files
			if !c.Get(Key("x"), to) {
				t.Error("nothing takes the place of a damaged entry")
			}
		})
	}
}

// TestSize checks that all entries together stay within the given size plus that of entries in use, and that the last
// used entry stays.
func TestSize(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp(base, "")
		if err != nil {
			r.Fatal(err)
		}
		size := rapid.Int64Range(10, 60).Draw(r, "pages") * page
		c := New(Settings{Dir: root, Size: size, Note: func(s string) { r.Errorf("a note: %s", s) }})
		from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
		if err := errors.Join(os.Mkdir(from, 0o755), os.Mkdir(to, 0o755)); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			key := Key(fmt.Sprint(rapid.IntRange(0, 20).Draw(r, "key")))
			if rapid.Bool().Draw(r, "get") {
				c.Get(key, to)
				continue
			}
			bytes := rapid.IntRange(0, 5*page).Draw(r, "bytes")
			if err := os.WriteFile(filepath.Join(from, "f"), make([]byte, bytes), 0o644); err != nil {
				r.Fatal(err)
			}
			had := c.Get(key, to)
			c.Put(key, from, "f")
			var total int64
			for _, e := range stored(root) {
				total += e.bytes
			}
			if total > size {
				r.Fatalf("%d bytes are kept, of %d", total, size)
			}
			if !had && !c.Get(key, to) && 8*page <= size/leaveUnder*leaveOver {
				r.Fatal("what was just put is gone")
			}
		}
	})
}

// TestLeastRecent checks that the least recently used entry is removed first, and never one in use.
func TestLeastRecent(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	from, to := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "f"), make([]byte, page), 0o644); err != nil {
		t.Fatal(err)
	}
	const each = 3 * page
	c, other := forTest(t, root, 10*each), forTest(t, root, 10*each)
	var made atomic.Int32
	if _, err := other.Folder(context.Background(), Key("in use"), fill("x", &made)); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if i >= 3 && !c.Get(Key("2"), to) {
			t.Fatalf("what was used last is gone after %d", i)
		}
		c.Put(Key(fmt.Sprint(i)), from, "f")
	}
	if c.Get(Key("1"), to) || !c.Get(Key("2"), to) || !c.Get(Key("19"), to) || !c.Get(Key("in use"), to) {
		t.Error("what was used longest ago should go first, and what is in use stay")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		c.Put(Key(fmt.Sprint("more", i)), from, "f")
	}
	if c.Get(Key("in use"), to) {
		t.Error("what is no longer in use stays for ever")
	}
}

// TestLarge checks that an entry larger than the cache exists while it is used.
func TestLarge(t *testing.T) {
	t.Parallel()
	c := forTest(t, t.TempDir(), 1)
	var made atomic.Int32
	for i := range 3 {
		dir, err := c.Folder(context.Background(), Key(fmt.Sprint(i)), fill("text", &made))
		if err != nil || content(t, dir, "app") != "text" {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// noted checks that an unusable cache works, gives the reason once, and leaves no files.
func noted(t *testing.T, dir, want string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var notes []string
	c := New(Settings{Dir: dir, Note: func(s string) { notes = append(notes, s) }})
	var made atomic.Int32
	for range 2 {
		path, err := c.Folder(context.Background(), Key("x"), fill("text", &made))
		if err != nil || content(t, path, "app", "v/part") != "text texttext" {
			t.Fatalf("%s: %v", path, err)
		}
	}
	c.Put(Key("y"), dir)
	if c.Get(Key("y"), temp) {
		t.Error("something was kept")
	}
	if len(notes) != 1 || !strings.Contains(notes[0], want) || !strings.Contains(notes[0], Variable) {
		t.Errorf("notes %q, want one with %q and %s", notes, want, Variable)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestCannotBeUsed checks that work continues in a temporary folder if a cache cannot be created or trusted.
func TestCannotBeUsed(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("a file", func(t *testing.T) { noted(t, filepath.Join(file, "cache"), "not a directory") })
	open := filepath.Join(root, "open")
	if err := errors.Join(os.Mkdir(open, 0o777), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	t.Run("open to all", func(t *testing.T) { noted(t, open, "is writable by every user") })
	if os.Getuid() == 0 {
		other := filepath.Join(root, "other")
		if err := errors.Join(os.Mkdir(other, 0o755), os.Chown(other, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
		t.Run("of another user", func(t *testing.T) { noted(t, other, "belongs to another user") })
	} else {
		fixed := filepath.Join(root, "fixed")
		if err := os.Mkdir(fixed, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Run("read only", func(t *testing.T) { noted(t, fixed, "permission denied") })
	}
	t.Run("no file system that is written to", func(t *testing.T) { noted(t, "/proc/xopt", "/proc/xopt") })
}

// TestEnvironment checks that XOPT_CACHE names the folder, and the system's default otherwise.
func TestEnvironment(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv(Variable, "")
	if dir, err := Dir(); err != nil || dir != filepath.Join(home, "xopt") {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv(Variable, filepath.Join(home, "own"))
	if dir, err := Dir(); err != nil || dir != filepath.Join(home, "own") {
		t.Errorf("%s, %v", dir, err)
	}
	c := New(Settings{})
	if got := From(With(context.Background(), c)); got != c {
		t.Error("a context has another cache than it was given")
	}
	var made atomic.Int32
	dir, err := From(context.Background()).Folder(context.Background(), Key("x"), fill("x", &made))
	if err != nil || filepath.Dir(dir) != filepath.Join(home, "own") {
		t.Errorf("%s, %v", dir, err)
	}
}

// limited marks the process of TestFullDisk that may write only small files.
const limited = "XOPT_TEST_LIMITED"

// TestFullDisk checks that files that cannot be written completely are not stored, and that the work uses them all the
// same. A process with a limit on file sizes stands for a full disk.
func TestFullDisk(t *testing.T) {
	const maximum = 3000
	if root := os.Getenv(limited); root != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: maximum, Max: maximum}); err != nil {
			t.Fatal(err)
		}
		var notes []string
		c := New(Settings{Dir: root, Note: func(s string) { notes = append(notes, s) }})
		c.Put(Key("large"), filepath.Join(root, "from"), "large")
		if c.Get(Key("large"), t.TempDir()) {
			t.Error("half a file was kept")
		}
		dir, err := c.Folder(context.Background(), Key("many"), func(dir string) error {
			for i := range 50 { // so many that their list is too large
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("x"), 0o644); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || content(t, dir, "49") != "x" {
			t.Errorf("%s: %v", dir, err)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "file too large") {
			t.Errorf("notes %q", notes)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "from"), 0o755),
		os.WriteFile(filepath.Join(root, "from", "large"), make([]byte, 2*maximum), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestFullDisk$")
	cmd.Env = append(os.Environ(), limited+"="+root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left := names(t, root); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}

// TestKilled checks that the incomplete work of a killed process is not an entry, blocks nobody, and is removed.
func TestKilled(t *testing.T) {
	if root := os.Getenv(limited + "_KILLED"); root != "" {
		_, _ = New(Settings{Dir: root}).Folder(context.Background(), Key("x"), func(dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o644); err != nil {
				return err
			}
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
		t.Fatal("it lives")
	}
	root := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=TestKilled$")
	cmd.Env = append(os.Environ(), limited+"_KILLED="+root)
	if err := cmd.Run(); err == nil {
		t.Fatal("it was not killed")
	}
	var made atomic.Int32
	dir, err := forTest(t, root, 0).Folder(context.Background(), Key("x"), fill("text", &made))
	if err != nil || content(t, dir, "app") != "text" || made.Load() != 1 {
		t.Errorf("%s, %v, made %d times", dir, err, made.Load())
	}
	if left := names(t, root); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}
