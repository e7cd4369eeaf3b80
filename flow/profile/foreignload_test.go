package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestForeign: every command's verdict about other programs follows from one reading of /proc and one threshold.
func TestForeign(t *testing.T) {
	const seconds = 1000
	for _, c := range []struct {
		others, steal, irq float64 // processors
		crowded, described bool
	}{
		{0, 0, 0, false, false},
		{0.2, 0, 0, false, true},
		{0.3, 0, 0, true, true},
		{0.2, 0.1, 0, true, true},
		{0, 0.3, 0, true, true},
		{0, 0, 0.6, false, false}, // interrupts may be of this program's own traffic
	} {
		proc := t.TempDir()
		stat := func(scale float64) {
			ticks := func(processors float64) int { return int(scale * processors * 100 * seconds) }
			text := fmt.Sprintf("cpu  %d 0 5 7 0 %d 0 %d 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n", 1000+ticks(c.others),
				ticks(c.irq), ticks(c.steal))
			process := fmt.Sprintf("7 (make) S 1 7 7 0 -1 0 0 0 0 0 %d 0 0 0 20 0 1 0 5 0", ticks(c.others))
			for name, text := range map[string]string{"stat": text, "7/stat": process} {
				path := filepath.Join(proc, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		at := time.Unix(0, 0)
		stat(0)
		w := WatchIn(proc, func() time.Time { return at })
		stat(1)
		at = at.Add(seconds * time.Second)
		f := w.Foreign()
		near := func(got, want float64) bool { return got > want-0.02 && got < want+0.02 }
		if !near(f.Others, c.others) || !near(f.Stolen, c.steal) || !near(f.Lost, c.steal+c.irq) ||
			(f.Text != "") != c.described || strings.Contains(f.Text, "make") != (c.others > 0) {
			t.Errorf("%+v: %+v", c, f)
		}
		p := Profile{Conditions: &Conditions{Others: f.Processors(), Disturbed: f.Text}}
		quiet := Surroundings{Others: f.Others, Taken: f.Stolen}
		for who, got := range map[string]bool{"a run": f.Disturbance() != "", "a profile": p.Disturbance() != "",
			"a test of sharing": IsCrowded(f.Processors())} {
			if got != c.crowded {
				t.Errorf("%+v disturbs %s: %t", c, who, got)
			}
		}
		if c.steal == 0 && quiet.Quiet() == c.crowded {
			t.Errorf("%+v: quiet: %t", c, quiet.Quiet())
		}
	}
	w := WatchIn(t.TempDir(), time.Now)
	if f := w.Foreign(); f != (Foreign{}) {
		t.Errorf("without /proc/stat: %+v", f)
	}
}
