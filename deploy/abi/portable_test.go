package abi

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// sources returns the C and C++ files of the runtime and of the simulation of FPGAs.
func sources(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"../runtime/*.[ch]", "../federate/cpp/*.cpp", "../federate/cpp/*.h"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 10 {
		t.Fatalf("only %d files of C are here", len(files))
	}
	return files
}

// TestNothingForOneProcessor: code for x86 only is behind a guard. It is the pause of a waiting loop in pause.h, the
// time stamp counter in clock.h, stacks in fiber.c, and the eviction of caches in reference.c.
func TestNothingForOneProcessor(t *testing.T) {
	only := regexp.MustCompile(`_ia32_|_mm_pause|\b[re](ax|bx|sp|bp|di|si)\b`)
	guarded := map[string]string{"pause.h": "#if defined(__x86_64__)", "clock.h": "#ifdef XRT_TSC",
		"fiber.c": "#if defined(__x86_64__)", "reference.c": "#ifdef __x86_64__"}
	for _, file := range sources(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !only.Match(text) {
			continue
		}
		guard, ok := guarded[filepath.Base(file)]
		if !ok || !strings.Contains(string(text), guard) {
			t.Errorf("%s has what only x86 has (%q), without a guard", file, only.Find(text))
		}
	}
}

// TestCompilesForARM: the runtime compiles for another processor, in each of its forms.
func TestCompilesForARM(t *testing.T) {
	testkit.Long(t, "the compiler reads the runtime four times")
	cc := testkit.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "choices.h"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../runtime/*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"-DXRT_TAPS", "-DXRT_TAPS -DXRT_VIRTUAL -DXRT_EXACT", "-DXRT_GUARD",
		"-DXRT_REFERENCE"} {
		args := append([]string{"-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", "-I" + dir, "-I.", "-I../runtime"},
			strings.Fields(form)...)
		if out, err := exec.Command(cc, append(args, files...)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", form, err, out)
		}
	}
}
