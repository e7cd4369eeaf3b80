package cache

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// totalOf returns the stored total of a cache.
func totalOf(t *testing.T, root string) total {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, totalName))
	if err != nil {
		t.Fatal(err)
	}
	var out total
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// writer returns a function that stores an entry of one page as another process would, and the size of an entry.
func writer(t *testing.T, root string, size int64) (put func(key string), each int64) {
	t.Helper()
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "f"), make([]byte, page), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(key string) { forTest(t, root, size).Put(Key(key), from, "f") }, 3 * page
}

// TestTotal checks that consecutive processes add to one total, and that only the first one counts.
func TestTotal(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put, each := writer(t, root, 0)
	put("0")
	first := totalOf(t, root)
	if first.Bytes != each || first.Added != 0 || first.Counted.IsZero() {
		t.Errorf("the first total is %+v, want %d bytes, counted", first, each)
	}
	for i := range int64(3) {
		put(string(rune('a' + i)))
		got := totalOf(t, root)
		if got.Bytes != (i+2)*each || got.Added != (i+1)*each || !got.Counted.Equal(first.Counted) {
			t.Errorf("after %d more the total is %+v", i+1, got)
		}
	}
	c := forTest(t, root, 0)
	locked, ok := lockTotal(root)
	if !ok {
		t.Fatal("nobody holds the total, and it cannot be locked")
	}
	from := t.TempDir()
	c.Put(Key("held"), from) // two pages
	if got := totalOf(t, root); got.Bytes != 4*each || c.pending != 2*page {
		t.Errorf("the total that another holds is %+v, and %d bytes are pending", got, c.pending)
	}
	if err := locked.Close(); err != nil {
		t.Fatal(err)
	}
	c.Put(Key("later"), from)
	if got := totalOf(t, root); got.Bytes != 4*each+4*page || c.pending != 0 {
		t.Errorf("what was pending is not in the total: %+v, %d", got, c.pending)
	}
}

// TestWrongTotal checks that a total that is lost, unreadable, invalid, old, or much changed is counted again at the
// next put. A total that is too small must not let the cache grow forever.
func TestWrongTotal(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	now := time.Now().UTC().Format(time.RFC3339)
	for name, text := range map[string]string{
		"lost":      "",
		"empty":     " ",
		"cut":       `{"bytes":12288,"add`,
		"negative":  `{"bytes":-5,"added":0,"counted":"` + now + `"}`,
		"no sum":    `{"bytes":5,"added":7,"counted":"` + now + `"}`,
		"too large": `{"bytes":99999999,"added":0,"counted":"` + now + `"}`,
		"much":      `{"bytes":99999,"added":99999,"counted":"` + now + `"}`,
		"old":       `{"bytes":1,"added":0,"counted":"2020-01-01T00:00:00Z"}`,
		"future":    `{"bytes":1,"added":0,"counted":"2220-01-01T00:00:00Z"}`,
	} {
		root := t.TempDir()
		put, each := writer(t, root, size)
		put("1")
		put("2")
		path := filepath.Join(root, totalName)
		err := os.WriteFile(path, []byte(text), 0o600)
		if text == "" {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		put("3")
		if got := totalOf(t, root); got.Bytes != 3*each || got.Added != 0 {
			t.Errorf("%s: the total is %+v, want %d bytes, counted again", name, got, 3*each)
		}
	}
	root := t.TempDir()
	put, each := writer(t, root, size)
	for i := range 200 {
		if i%10 == 0 {
			wrong := `{"bytes":1,"added":0,"counted":"` + now + `"}`
			if err := os.WriteFile(filepath.Join(root, totalName), []byte(wrong), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		put(string(rune('0' + i)))
	}
	if maximum := size + 10*each; int64(len(stored(root)))*each > maximum {
		t.Errorf("%d entries of %d bytes are kept, want at most %d bytes", len(stored(root)), each, maximum)
	}
}

// BenchmarkPut puts small entries into a cache that has many. The cost must not depend on their number.
func BenchmarkPut(b *testing.B) {
	root, from := b.TempDir(), b.TempDir()
	c := New(Settings{Dir: root})
	for i := range 5000 {
		c.Put(Key("before", string(rune(i))), from)
	}
	for b.Loop() {
		c.Put(Key(b.Name(), time.Now().String()), from)
	}
}
