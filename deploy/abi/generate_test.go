package abi

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write layout.h, ends.h and offsets.go anew")

// TestGenerated: the stored files equal the output for the table, byte for byte.
func TestGenerated(t *testing.T) {
	for name, generate := range map[string]func() (string, error){"layout.h": LayoutH, "ends.h": EndsH,
		"offsets.go": OffsetsGo} {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs from the table: run go test ./deploy/abi -run TestGenerated -update", name)
		}
	}
}

// languages returns the compilers that read the headers.
func languages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"C": {"gcc", "-std=gnu11", "-x", "c"}, "C++": {"g++", "-std=gnu++17", "-x", "c++"}}
	for name, args := range all {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s is not held: %s is not installed", name, args[0])
			delete(all, name)
		}
	}
	if len(all) == 0 {
		t.Skip("neither gcc nor g++ is installed (Debian: gcc, g++)")
	}
	return all
}

// headers returns both headers.
func headers(t *testing.T) (layout, ends string) {
	t.Helper()
	layout, err := LayoutH()
	if err != nil {
		t.Fatal(err)
	}
	if ends, err = EndsH(); err != nil {
		t.Fatal(err)
	}
	return layout, ends
}

// compile compiles a program against the headers, and returns the compiler's output.
func compile(t *testing.T, compiler []string, layout, ends, program string, more ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"layout.h": layout, "ends.h": ends, "program": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := append(append([]string{}, compiler[1:]...), "-Wall", "-Wextra", "-Werror", "-I"+dir,
		filepath.Join(dir, "program"))
	out, err := exec.Command(compiler[0], append(args, more...)...).CombinedOutput()
	return string(out), err
}

const includes = "#include \"layout.h\"\n"

// mutant inserts a member before the last member of a structure.
func mutant(header string, s *Struct) string {
	from := strings.Index(header, "struct "+s.Name+" {")
	if from < 0 {
		return header // it stands in the other
	}
	body := header[from:]
	for _, before := range []string{" ", ")", "*"} { // the end of its type
		for _, after := range []string{";", "["} {
			if at := strings.Index(body, before+s.Fields[len(s.Fields)-1].Name+after); at >= 0 {
				line := strings.LastIndex(body[:at], "\n") + 1
				return header[:from] + body[:line] + "    char drift[8];\n" + body[line:]
			}
		}
	}
	return header
}

// TestDrift: a structure that is not as the table has it does not compile, in either language, and
// the compiler names the member. Here every structure has something more before its last member.
func TestDrift(t *testing.T) {
	layoutH, endsH := headers(t)
	layout, ends := layoutH, endsH
	for _, s := range Structs() {
		before := layout + ends
		if layout, ends = mutant(layout, &s), mutant(ends, &s); layout+ends == before {
			t.Fatalf("no mutant of %s", s.Name)
		}
	}
	for language, compiler := range languages(t) {
		if out, err := compile(t, compiler, layoutH, endsH, includes, "-fsyntax-only"); err != nil {
			t.Fatalf("%s: %v\n%s", language, err, out)
		}
		out, err := compile(t, compiler, layout, ends, includes, "-fsyntax-only")
		if err == nil {
			t.Errorf("%s: structures that drift compile", language)
		}
		for _, s := range Structs() {
			for _, want := range []string{s.Name + "." + s.Fields[len(s.Fields)-1].Name + " is not at",
				s.Name + " has not"} {
				if !strings.Contains(out, want) {
					t.Errorf("%s: %s drifts, and the compiler does not say that %s:\n%s", language, s.Name, want, out)
				}
			}
		}
	}
}

// TestRuns: C, C++ and Go compute the same addresses behind structures.
func TestRuns(t *testing.T) {
	layoutH, endsH := headers(t)
	const program = includes + `
#include <stdio.h>
static char memory[1 << 16];
static unsigned long long at(const void *p) { return (unsigned long long)((const char *)p - memory); }
int main(void) {
    struct x_tap_control *tap = (struct x_tap_control *)memory;
    printf("%llu %llu %llu %llu %llu %llu", at(x_tap_control_slot(tap, 3, 5)), at(x_tap_control_log(tap, 4, 7)),
           (unsigned long long)x_tap_slot_bytes(9), (unsigned long long)x_mark_queue_bytes(3),
           (unsigned long long)x_federate_bytes(2), at(x_tap_slot_bins((struct x_tap_slot *)memory)));
    return 0;
}
`
	want := []uint64{TapSlotAt(0, 3, 5), TapSlotAt(0, 4, 7), TapSlotWith(9), MarkQueueWith(3), FederateWith(2),
		TapSlotBytes}
	for language, compiler := range languages(t) {
		binary := filepath.Join(t.TempDir(), "program")
		if out, err := compile(t, compiler, layoutH, endsH, program, "-o", binary); err != nil {
			t.Fatalf("%s: %v\n%s", language, err, out)
		}
		out, err := exec.Command(binary).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out); got != strings.Trim(fmt.Sprint(want), "[]") {
			t.Errorf("%s: %s, Go: %v", language, got, want)
		}
	}
}

// OffsetsGo returns offsets.go, the table as constants of Go.
func OffsetsGo() (string, error) {
	text, err := generate("offsets.go.tmpl")
	if err != nil {
		return "", err
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", fmt.Errorf("formatting offsets.go: %w", err)
	}
	return string(formatted), nil
}
