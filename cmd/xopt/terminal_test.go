//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"

	"xopt/cmd/internal/examples"
	"xopt/internal/testkit"
)

// terminal is a pseudo terminal that runs the program.
type terminal struct {
	keys *os.File // writes to it are typed
	cmd  *exec.Cmd
	done chan struct{} // closed when all output has been read

	mu    sync.Mutex
	shown strings.Builder
}

// start runs xopt in a terminal of the given width.
func start(t *testing.T, dir string, width int, env []string, args ...string) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	fd := int(keys.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{keys: keys, cmd: exec.Command(self), done: make(chan struct{})}
	x.cmd.Args = append([]string{"xopt"}, args...) // see TestMain
	x.cmd.Dir, x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = dir, screen, screen, screen
	x.cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR=", "COLUMNS="), env...)
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.done)
		_, _ = io.Copy(x, keys) // ends with an error when the program does
	}()
	return x
}

func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shown.Write(p)
}

func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ReplaceAll(x.shown.String(), "\r\n", "\n")
}

// wait waits for the program and returns its exit code and all its output.
func (x *terminal) wait(t *testing.T) (int, string) {
	t.Helper()
	err := x.cmd.Wait()
	<-x.done
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, x.screen()
	case errors.As(err, &exit):
		return exit.ExitCode(), x.screen()
	}
	t.Fatal(err)
	return 0, ""
}

// example writes a bundled example and returns its folder.
func example(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if _, err := examples.Write(name, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTerminalWidth checks that output fits the terminal at two widths, and is coloured unless NO_COLOR is set.
func TestTerminalWidth(t *testing.T) {
	t.Parallel()
	escapes, erasing := regexp.MustCompile("\x1b\\[[0-9;]*m"), "\x1b[K"
	for _, width := range []int{80, 120} {
		for _, c := range []struct {
			example string
			args    []string
		}{
			{"beard-fig7", []string{"check", "app.x", "arch.x"}},
			{"beard-fig7", []string{"eval", "app.x", "arch.x", "map.x", "--bytes", "1GB"}},
			{"beard-jpeg", []string{"check", "app.x", "arch.x"}},
			{"beard-jpeg", []string{"search", "app.x", "arch.x", "--evals", "2000"}},
			{"gayen-veritas", []string{"check", "pipes2.x", "arch_slow.x"}},
			{"gayen-veritas", []string{"search", "pipes2.x", "arch_slow.x", "--evals", "2000", "--full",
				"--top", "2"}},
			{"lancaster-blastn", []string{"eval", "run1.x", "arch.x", "map.x"}},
		} {
			if testing.Short() && (slices.Contains(c.args, "--full") || // the sizes of each mapping are simulated
				c.example == "lancaster-blastn" && width > 80) { // its sizes take seconds
				continue
			}
			for _, noColor := range []string{"", "1"} {
				if (width == 80) != (noColor == "") {
					continue // one per width, and one in colour
				}
				name := fmt.Sprintf("%s/%s/%d/NO_COLOR=%s", c.example, c.args[0], width, noColor)
				t.Run(name, func(t *testing.T) {
					code, screen := start(t, example(t, c.example), width, []string{"NO_COLOR=" + noColor},
						c.args...).wait(t)
					if code != 0 {
						t.Fatalf("exit code %d\n%s", code, screen)
					}
					if got := escapes.MatchString(screen); got != (noColor == "") {
						t.Errorf("coloured: %v", got)
					}
					for line := range strings.Lines(screen) {
						// A carriage return overwrites the bar.
						line = line[strings.LastIndexByte(line, '\r')+1:]
						line = escapes.ReplaceAllString(strings.ReplaceAll(line, erasing, ""), "")
						line = strings.TrimRight(line, "\n")
						if w := text.StringWidth(line); w > width {
							t.Errorf("%d columns wide: %s", w, line)
						}
					}
				})
			}
		}
	}
}

// TestProgressBar checks that a search on a terminal shows a bar with the best throughput and the rate, and that
// Ctrl-C prints and saves the best so far.
func TestProgressBar(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "many.x"), []byte(manyKernels), 0o644); err != nil {
		t.Fatal(err)
	}
	x := start(t, dir, 80, nil, "search", "many.x", "--method", "anneal", "--time", "10m")
	bar := regexp.MustCompile(`best [0-9.]+ MB/s, (gap [0-9.]+ %, )?[0-9.]+ [kM] mappings/s ` +
		`+[0-9]+% (\|[^|]*\| )?[0-9]+ s, about [0-9ms]+ left`)
	if !testkit.Eventually(func() bool { return bar.MatchString(x.screen()) }) {
		t.Errorf("no bar in %q", x.screen())
	}
	if _, err := x.keys.Write([]byte{3}); err != nil { // Ctrl-C
		t.Fatal(err)
	}
	code, screen := x.wait(t)
	answer := regexp.MustCompile(`(?s)Best(\x1b\[0m)? +[0-9.]+ MB/s.*How sure.*interrupted.*Bottleneck`)
	if code != exitInterrupted || !answer.MatchString(screen) {
		t.Errorf("exit code %d, the end of the screen is %q", code, screen[max(0, len(screen)-1500):])
	}
	if _, err := os.Stat(filepath.Join(dir, "many.1.map.x")); err != nil {
		t.Error(err)
	}
}

// TestNotesAndHelpFit checks that notes on standard error and --help fit the terminal.
func TestNotesAndHelpFit(t *testing.T) {
	t.Parallel()
	const width = 80
	for _, args := range [][]string{{"search", "pipes2.x", "arch_slow.x", "--evals", "200", "--top",
		"1", "-o", "a-rather-long-name"}, {"search", "--help"}, {"--help"},
		{"deploy", "--help"}, {"help", "calibrate"}} {
		_, screen := start(t, example(t, "gayen-veritas"), width, []string{"NO_COLOR=1"}, args...).wait(t)
		indented := regexp.MustCompile(`^    \S`) // examples, which are not wrapped
		for line := range strings.Lines(screen) {
			line = strings.TrimRight(line[strings.LastIndexByte(line, '\r')+1:], "\n")
			if w := text.StringWidth(line); w > width && !indented.MatchString(line) &&
				!strings.HasPrefix(line, "Usage:") {
				t.Errorf("%q: %d columns wide: %s", args, w, line)
			}
		}
	}
}
