package apps_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/internal/testkit"
)

// thesisFiles returns the text of files of the example gayen-veritas, with the figures and mappings of Gayen 2008 §6.2
// and without includes. From app.x it takes only gain and routing.
func thesisFiles(t *testing.T, names ...string) string {
	t.Helper()
	var text strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("..", "..", "configs", "examples", "gayen-veritas", name))
		if err != nil {
			t.Fatal(err)
		}
		s := string(b)
		if name == "app.x" {
			s = s[strings.Index(s, "route Splitter"):]
		}
		for line := range strings.Lines(s) {
			if !strings.HasPrefix(line, "#include") {
				text.WriteString(line)
			}
		}
	}
	return text.String()
}

// seconds returns the virtual time in s of 5000 events in a mapping of the thesis, extrapolated from a run with fewer.
func seconds(t *testing.T, text, bandwidth string, events uint64, alone bool) float64 {
	t.Helper()
	d := apptest.App{Dir: "veritas", Files: []string{"app.x"},
		Set: map[string]string{"top.pipes": "6", "LAN.bandwidth": bandwidth}}.Load(t, text)
	prog, _, err := xsim.Build(t.Context(), d, program.Options{Elements: events}, xsim.Options{FromProfile: true,
		Seed:  1,
		Alone: alone}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Well(t.Context(), prog, run.Options{})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil {
		t.Fatal(err)
	}
	const all = 5000
	return m.Seconds * all / float64(events)
}

// TestVeritasProcessors runs VERITAS with its kernels in virtual time, with the times of Gayen 2008, §6.2.1 and §6.2.2,
// in the mappings to one, two and three processors (Figs. 6.7 to 6.10). The blocks of the thesis' run on one processor
// account for 98.3 % of its 127.2 s. The thesis does not attribute the other 2.2 s. Without them the two vertical
// mappings take 7 % less time than X-Sim found. With them on proc[1] all are within the 5 % that the thesis states for
// X-Sim.
func TestVeritasProcessors(t *testing.T) {
	t.Parallel()
	const rest = 0.017 * 127.2 / 5000 // of an event, that no block accounts for
	events := uint64(30)
	maps := map[string]float64{"map1": 127.2, "map2a": 68.4, "map2b": 74.2, "map3a": 46.4, "map3b": 61.5}
	if testing.Short() {
		events, maps = 12, map[string]float64{"map2b": 74.2}
	}
	for name, theirs := range maps {
		t.Run(name, func(t *testing.T) {
			figures := thesisFiles(t, "arch_proc.x", "app.x")
			with := strings.Replace(figures, `time="300us"`, fmt.Sprintf(`time="%.2fus"`, 300+1e6*rest), 1)
			if with == figures {
				t.Fatal("arch_proc.x has another time of FileRead")
			}
			mapping := thesisFiles(t, name+".x")
			plain := seconds(t, figures+mapping, "1000Mbit/s", events, false)
			complete := seconds(t, with+mapping, "1000Mbit/s", events, false)
			t.Logf("%.1f s, with what no block accounts for %.1f s; X-Sim has %.1f s: %+.1f %%, %+.1f %%", plain,
				complete,
				theirs, 100*(plain/theirs-1), 100*(complete/theirs-1))
			if math.Abs(complete/theirs-1) > 0.05 {
				t.Errorf("%.1f s with all processing, and X-Sim has %.1f s", complete, theirs)
			}
			if plain > 1.02*theirs || plain < 0.92*theirs {
				t.Errorf("%.1f s with what blocks account for, and X-Sim has %.1f s", plain, theirs)
			}
		})
	}
}

// TestVeritasLink runs the horizontal mapping to two processors with a slow link (Gayen 2008, Fig. 6.10). At 100 Mbit/s
// the link carries two streams of 384 bytes for each pixel, with edges that share it. In the thesis' model each edge
// has its own part of the link (§6.2.2), and those of the first pipe limit the rate: they have 84 of the 499 pixels of
// an event, a hundredth more than a sixth.
func TestVeritasLink(t *testing.T) {
	testkit.Long(t, "VERITAS runs in virtual time")
	t.Parallel()
	text := thesisFiles(t, "arch_proc.x", "app.x", "map2b.x")
	const all = 5000 * 499 * 2 * 384 / (100e6 / 8)
	for alone, want := range map[bool]float64{false: all, true: all * 6 * 84 / 499} {
		if got := seconds(t, text, "100Mbit/s", 60, alone); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%.1f s (each edge alone: %v), want %.1f s", got, alone, want)
		}
	}
}
