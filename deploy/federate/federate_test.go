package federate

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/deploy/abi"
	"xopt/hdl"
	"xopt/internal/testkit"
)

var update = flag.Bool("update", false, "write script.h anew")

// TestGenerated: the stored script.h equals the output for the types, byte for byte.
func TestGenerated(t *testing.T) {
	const name = "cpp/script.h"
	want, err := ScriptH()
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
		t.Errorf("%s is not what the types make; go test ./deploy/federate -run TestGenerated -update", name)
	}
}

// sample returns a script with each line, and a value in each field that no other has.
func sample() *Script {
	return &Script{
		Run: Run{SharedBytes: 1 << 40, Process: 2, Federate: 3, Period: 1e12 / 3, Phase: 1e4 / 7,
			Drain: 2000, Rest: 20000},
		Parts: []Part{{Control: 4}, {Control: 5, Loop: true, Spent: 33, Counts: 34, Clock: 1e12 / 7}},
		Outers: []Outer{{Stream: "in", Part: 1, Control: 6, Reader: 7, Writer: 8, Data: 9, Ring: 10, Capacity: 11,
			Element: 12, Initial: 30, First: 31}},
		Inners: []Inner{{From: 0, To: 1, Control: 13, Reader: 14, Writer: 15, Element: 16, PutBytes: 17,
			GotBytes: 18, Initial: 32, Back: true}},
		Samples: []Sample{{Kind: Latency, Control: 19, Slots: 20, Bins: 21, First: 22, Unit: 0.1, Histogram: -1}},
		Borders: []Border{{Kind: Occupancy, Control: 23, Slots: 24, Bins: 25, Log: 26, Outer: 0, Every: 27, Queue: 28,
			Marks: 29, Octaves: true, Low: -1e-300, Width: 0.30000000000000004}},
		Probes: []Probe{{Number: 35, Control: 36, Slots: 37, Bins: 38, Log: 39, Maximum: 40, Octaves: true, Low: -41,
			Width: 42}},
	}
}

// program compiles C++ against the headers of the simulation.
func program(t *testing.T, main string, args ...string) string {
	t.Helper()
	testkit.Tools(t, "g++")
	files, err := Sources()
	if err != nil {
		t.Fatal(err)
	}
	if files["record.h"], err = hdl.AgentRecord().CHeader(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if main != "" {
		files["main.cpp"] = main
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cxx, source := "g++", "main.cpp"
	if main == "" {
		source = Main
	}
	if len(args) > 0 && strings.HasSuffix(args[0], "g++") {
		cxx, args = args[0], args[1:]
	}
	models, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "program")
	harness, err := filepath.Abs("../../hdl/rtl/harness") // cycles.h
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-I" + dir, "-I" + models, "-I" + harness,
		"-o",
		binary,
		filepath.Join(dir, source)}, args...)
	if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", cxx, strings.Join(args, " "), err, out)
	}
	return binary
}

// printer reads a script and writes every field that it has read.
const printer = `
#include <cstdio>
#include "reader.h"
static void print(const char *name, const std::string &v) { printf(" %s=%s", name, v.c_str()); }
static void print(const char *name, uint64_t v) { printf(" %s=%llu", name, (unsigned long long)v); }
static void print(const char *name, int64_t v) { printf(" %s=%lld", name, (long long)v); }
static void print(const char *name, bool v) { printf(" %s=%s", name, v ? "true" : "false"); }
static void print(const char *name, double v) { printf(" %s=%.17g", name, v); }
template <class L> static void each(const char *name, L &line) {
    printf("%s", name);
    line.fields([](const char *field, auto &value) { print(field, value); });
    printf("\n");
}
template <class L> static void each(const char *name, std::vector<L> &lines) {
    for (L &line : lines)
        each(name, line);
}
int main(int, char **argv) {
    Script s = Reader(argv[1]).read();
    s.lines([](const char *name, auto &list) { each(name, list); });
    (void)process, (void)in_shared<char>;
    return 0;
}
`

// TestScript: C++ reads the output of Go, with fields in any order. An error in a line is reported by file, line and
// name.
func TestScript(t *testing.T) {
	t.Parallel()
	binary := program(t, printer)
	file := filepath.Join(t.TempDir(), "fpga0.txt")
	read := func(text string) (stdout, stderr string, exit int) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(binary, file).Output()
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return string(out), strings.TrimSpace(string(failed.Stderr)), failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out), "", 0
	}
	text := sample().Text()
	if got, stderr, exit := read(text); got != text || exit != 0 {
		t.Errorf("C++ has read\n%s\nof\n%s(%d, %s)", got, text, exit, stderr)
	}
	turned := "\npart control=1 loop=false spent=0 counts=0 clock=0\n\n" +
		strings.Replace(text, "process=2 federate=3", "federate=3 process=2", 1)
	if got, stderr, _ := read(turned); !strings.Contains(got, "process=2 federate=3") {
		t.Errorf("with its fields in another order it is not read: %s %s", got, stderr)
	}
	const border = "border kind=occupancy control=1 slots=1 bins=1 log=1 outer=0 every=1 queue=1 marks=1 low=0 width=1"
	for wrong, want := range map[string]string{
		"prat control=4": `there is no line "prat", expected one of run, part, outer, inner, ` +
			`sample, border, point, probe`,
		"part": `part lacks control`,
		"part control=4 loop=false spent=0 counts=0 clock=0 " +
			"controls=5": `part has no field controls`,
		"part control=4 control=5 loop=true": `part gives control twice`,
		"part 4":                             `"4" of part has no value, expected name=value`,
		"part control=four":                  `control of part is "four", expected a whole number from 0 on`,
		"part control=-4":                    `control of part is "-4", expected a whole number from 0 on`,
		"part control=":                      `control of part is "", expected a whole number from 0 on`,
		border + " octaves=yes":              `octaves of border is "yes", expected true or false`,
		"run shared_bytes=1 process=2 federate=3 period=1 drain=1 rest=1": `this stands in line 1, too`,
		"sample kind=latency control=1 slots=1 bins=1 first=1 unit=u " +
			"histogram=1": `unit of sample is "u", expected a ` +
			`number`,
	} {
		want = "fpga0.txt:10: " + want
		_, stderr, exit := read(text + "\n" + wrong + "\n" + "part control=6 loop=true spent=0 counts=0 clock=0\n")
		if !strings.HasSuffix(stderr, want) || exit != abi.ExitFailed {
			t.Errorf("%s: told %q (%d), want %q", wrong, stderr, exit, want)
		}
	}
	if _, stderr, exit := read("part control=4 loop=true spent=0 counts=0 clock=0\n"); !strings.HasSuffix(stderr,
		"fpga0.txt: the line run is missing") ||
		exit != abi.ExitFailed {
		t.Errorf("without a run: %s", stderr)
	}
}

// TestCompiles: the program compiles without a warning, for x86 and ARM, with taps and without.
func TestCompiles(t *testing.T) {
	testkit.Long(t, "the compiler reads the program four times; TestWrongScript compiles it once")
	t.Parallel()
	for _, taps := range []string{"-DTAP_WORDS=3", "-DTAP_WORDS=0"} {
		program(t, "", "-fsyntax-only", taps)
		if _, err := exec.LookPath("aarch64-linux-gnu-g++"); err != nil {
			t.Log("not for ARM: aarch64-linux-gnu-g++ is not installed (Debian: g++-aarch64-linux-gnu)")
			continue
		}
		program(t, "", "aarch64-linux-gnu-g++", "-fsyntax-only", taps)
	}
}

// TestWrongScript: a script that does not fit the model is reported by line.
func TestWrongScript(t *testing.T) {
	t.Parallel()
	binary := program(t, "", "-pthread")
	shared, err := os.Create(filepath.Join(t.TempDir(), "shared"))
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	const size = 1 << 16
	if err := shared.Truncate(size); err != nil {
		t.Fatal(err)
	}
	good := func() *Script {
		return &Script{Run: Run{SharedBytes: size, Process: 4096, Federate: 8192, Period: 1, Drain: 1},
			Parts: []Part{{Control: 12288, Counts: 6 + 6}}, Outers: []Outer{{Stream: "in",
				Control: 16384, Data: 20480, Ring: 4096, Capacity: 1, Element: 4}}}
	}
	for want, change := range map[string]func(s *Script){
		"fpga0.txt:3: the model has no stream e7": func(s *Script) { s.Outers[0].Stream = "e7" },
		"fpga0.txt:2: the model has no clock of":  func(s *Script) { s.Parts[0].Clock = 5 },
		"fpga0.txt:3: there is no part 1":         func(s *Script) { s.Outers[0].Part = 1 },
		"fpga0.txt:4: there is no part 9":         func(s *Script) { s.Inners = []Inner{{From: 9}} },
		"fpga0.txt:4: there is no outer 1": func(s *Script) {
			s.Borders = []Border{{Kind: Latency,
				Outer: 1}}
		},
		"fpga0.txt:4: the model has 1 probes":             func(s *Script) { s.Probes = []Probe{{Number: 1}} },
		"fpga0.txt:4: the kind is \"sum\", expected occu": func(s *Script) { s.Samples = []Sample{{Kind: "sum"}} },
	} {
		s := good()
		change(s)
		file := filepath.Join(t.TempDir(), "fpga0.txt")
		if err := os.WriteFile(file, []byte(s.Text()), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "1", file)
		cmd.ExtraFiles = []*os.File{shared} // XRT_SHARED_FD
		out, err := cmd.CombinedOutput()
		if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != abi.ExitFailed {
			t.Errorf("%s: %v %s", want, err, out)
			continue
		}
		message := make([]byte, abi.MessageBytes)
		if _, err := shared.ReadAt(message, 4096+abi.ProcessMessage); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(message), want) {
			t.Errorf("told %q, want %q", strings.TrimRight(string(message), "\x00"), want)
		}
	}
}
