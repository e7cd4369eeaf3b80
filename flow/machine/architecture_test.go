package machine

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the expected architectures anew")

// TestArchitecture compares the X code of recorded machines with manually checked code.
func TestArchitecture(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads bool
	}{{"8em64t-2s2ca2c", false}, {"64amd64-4s2n4ca2co", false}, {"16em64t-4s2c2t-offlines", true},
		{"fakeheterocpunuma", false}, {"2i386-2t-hugepagesizecount", false}, {"big-little", false}} {
		t.Run(c.name, func(t *testing.T) {
			got := NewArchitecture(read(t, c.name, Options{}), c.threads).X("Head.")
			golden := filepath.Join("testdata", c.name+".x")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestSharings checks every pair of cores: the nearest of their links is the first object that they share according
// to sysfs.
func TestSharings(t *testing.T) {
	m := read(t, "64amd64-4s2n4ca2co", Options{})
	units := m.Units(false)
	sharings := m.Sharings(units)
	for i := range units {
		for j := range i {
			nearest := slices.IndexFunc(sharings, func(s Sharing) bool {
				return slices.Contains(s.Units, i) && slices.Contains(s.Units, j)
			})
			a, b := units[i], units[j]
			want := "machine"
			switch {
			case m.Cache(3, a.Processor) == m.Cache(3, b.Processor):
				want = "L3"
			case m.Cores[a.Core].Socket == m.Cores[b.Core].Socket:
				want = "socket"
			}
			if nearest < 0 || sharings[nearest].What[0] != want {
				t.Fatalf("processors %d and %d share %+v first, want %s", a.Processor, b.Processor, sharings[nearest],
					want)
			}
		}
	}
	if n := len(sharings); n != 8+4+1 {
		t.Errorf("%d links, want 8 dies, 4 sockets and the machine", n)
	}
}
