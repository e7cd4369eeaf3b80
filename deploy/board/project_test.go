package board

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlain: a user's name of a file or an FPGA contains only letters and digits where a shell, make or a compiler
// reads it.
func TestPlain(t *testing.T) {
	for name, want := range map[string]string{"dct8.v": "dct8.v", "a b$(rm -rf x)'.sv": "a_b__rm__rf_x__.sv",
		"keep.ghdl.v": "keep_ghdl.v", "-o.v": "_o.v", "é;`x`.vhd": "___x_.v", "..": "_.v"} {
		if got := plain(name); got != want || !regexp.MustCompile(`^\w+\.s?v$`).MatchString(got) {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	if got := plainWords("fpga */ `x` $(y) \"z\\\n"); strings.ContainsAny(got, "*`$\"\\\n") {
		t.Errorf("a comment holds %q", got)
	}
}

// TestProject: a project is written to a temporary folder; an abandoned one leaves no files, and an existing
// folder is never overwritten.
func TestProject(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "board")
	p, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder is there before the project is whole")
	}
	for words, want := range map[int]string{0: "", 3: "differ from the exported taps"} { // the run had 4
		data := make([]byte, 16*min(words, 1))
		if err := os.WriteFile(filepath.Join(p.Run(), "records"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		err := p.recordsFit(&projectText{RecordWords: words}, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("records of %d bytes, for %d words: %v", len(data), words, err)
		}
	}
	if err := p.Abandon(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Symlink("nowhere", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a link is written over: %v", err)
	}
}

// TestSummary: a host's summary is read, or rejected with its line.
func TestSummary(t *testing.T) {
	const good = "design 0x0000beef\nboard model\nwhere model:a b.so\ncycles 12345678901\nclock 1e+08\nwall 0.25\n" +
		"frame 65536\nstream e0 400\nrecords 12\n"
	path := filepath.Join(t.TempDir(), "summary")
	for text, want := range map[string]string{good: "", strings.Replace(good, "400", "x", 1): `:8: "stream e0 x"`,
		good + "what 1\n":                           "unknown line of a summary",
		strings.Replace(good, "1e+08", "0", 1):      "the host program did not end normally",
		strings.Replace(good, "cycles", "cycle", 1): `:4: "cycle`, "": "the host program did not end normally"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := readSummary(path)
		if want == "" {
			if err != nil || s.design != 0xbeef || !s.model || s.where != "model:a b.so" || s.cycles != 12345678901 ||
				s.clock != 1e8 || s.bytes["e0"] != 400 {
				t.Errorf("read is %+v, %v", s, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
