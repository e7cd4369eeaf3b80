package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xopt/internal/files/output"
)

// resultsFolder holds the pages of figures; its index alone is written by hand.
const resultsFolder = "../../docs/results"

// pageHead checks that a page of figures begins as commands write it: with the command, which must be
// one of this program with these options, when it ran, and on which machine.
func pageHead(text string) error {
	head, err := headOf(text)
	command := regexp.MustCompile("(?m)^    (xopt|xbench) (.*)$|^Measured by `(xopt|xbench) ([^`]*)`").
		FindStringSubmatch(head)
	switch {
	case command == nil:
		return errors.Join(err, errors.New("no command in the first lines"))
	case command[1]+command[3] == "xbench": // its own test looks at its options
		return err
	}
	return errors.Join(err, understood(strings.Fields(command[2]+command[4])))
}

// headOf checks that the first lines of a page have a title, a date and a machine, and returns them.
func headOf(text string) (string, error) {
	lines := strings.Split(text, "\n")
	head := strings.Join(lines[:min(len(lines), 20)], "\n")
	var errs []error
	for _, x := range []struct{ what, pattern string }{
		{"title", `(?m)^# .`},
		{"date", `(?m)\b20\d\d-\d\d-\d\d \d\d:\d\d\b.* UTC\b`},
		{"machine", `\d+ cores\b.*, Linux `},
	} {
		if !regexp.MustCompile(x.pattern).MatchString(head) {
			errs = append(errs, fmt.Errorf("no %s in the first lines", x.what))
		}
	}
	return head, errors.Join(errs...)
}

// severalCommands reports whether a page tells what several commands, or benchmarks of Go, printed.
func severalCommands(name string) bool { return name == "proofs.md" || name == "campaigns.md" }

// earlierPage checks the page of figures from before commands wrote pages: it says when, where and of
// which commit they are, and its commands still exist.
func earlierPage(text string) error {
	var errs []error
	head := text[:min(len(text), 600)]
	for _, pattern := range []string{`20\d\d-\d\d-\d\d \d\d:\d\d UTC`, `commit [0-9a-f]{7}`, `\d+ cores, Linux `} {
		if !regexp.MustCompile(pattern).MatchString(strings.Join(strings.Fields(head), " ")) {
			errs = append(errs, fmt.Errorf("no %s in its first lines", pattern))
		}
	}
	commands := regexp.MustCompile("`(xopt|xbench) ([^`]*)`").FindAllStringSubmatch(text, -1)
	if len(commands) == 0 {
		errs = append(errs, errors.New("no commands"))
	}
	for _, x := range commands {
		if x[1] == "xopt" {
			errs = append(errs, understood(strings.Fields(x[2])))
		}
	}
	return errors.Join(errs...)
}

// understood checks that a command exists, with its options.
func understood(args []string) error {
	root, err := newApp(io.Discard, io.Discard).rootCommand()
	if err != nil {
		return err
	}
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !c.Runnable() || c.HasSubCommands() {
		return fmt.Errorf("%q is not a whole command", strings.Join(args, " "))
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// TestResults: every page in docs/results is one that a command wrote, and the index names it.
func TestResults(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile(filepath.Join(resultsFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(index), "\n|") {
		t.Error("README.md holds a table: tables are in the pages that commands write")
	}
	pages, err := filepath.Glob(filepath.Join(resultsFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range pages {
		name := filepath.Base(path)
		if name == "README.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("README.md has no link to %s", name)
		}
		if strings.HasSuffix(name, ".txt") { // what go test prints
			head, _, _ := strings.Cut(string(text), "\n")
			want := regexp.MustCompile(
				`^# make bench, 20\d\d-\d\d-\d\d \d\d:\d\d UTC, commit [0-9a-f]{7,}, load average [\d.]+$`)
			if !want.MatchString(head) {
				t.Errorf("%s begins with %q", name, head)
			}
			continue
		}
		if name == "earlier.md" {
			if err := earlierPage(string(text)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if severalCommands(name) {
			if _, err := headOf(string(text)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err := pageHead(string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "papers.md" && !output.Wrote(path, output.FigurePage()) {
			t.Errorf("%s is not a page that --md wrote", name)
		}
	}
	if seen < 3 {
		t.Errorf("%d pages", seen)
	}
}

// TestEarlierPage: what such a page has to say is asked for.
func TestEarlierPage(t *testing.T) {
	const good = "# Figures\n\nTaken until 2026-11-22 13:30 UTC on commit e466fa2, on AMD EPYC, 2\ncores, Linux 6.\n" +
		"`xopt eval\n--full a.x`: messages\n"
	if err := earlierPage(good); err != nil {
		t.Fatal(err)
	}
	for _, cut := range []string{"2026-11-22 ", "commit", "Linux", "`xopt ", "eval\n"} {
		if earlierPage(strings.Replace(good, cut, "", 1)) == nil {
			t.Errorf("nothing is missed without %q", cut)
		}
	}
}

// TestPageHead: a head that says less, or names a command that there is not, is noticed.
func TestPageHead(t *testing.T) {
	good := []string{"<!-- Written by xopt sweep; run it again to replace this page -->", "", "# Sweep", "",
		"    xopt validate app.x arch.x --runs 7 --md docs/results/ring.md", "", "- **Date:** 2026-11-22 15:24 UTC",
		"- **Machine:** AMD EPYC, 2 cores, Linux 6"}
	if err := pageHead(strings.Join(good, "\n")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line      int
		now, want string
	}{
		{2, "", "no title"},
		{4, "", "no command"},
		{4, "    xopt import", "not a whole command"},
		{4, "    xopt validate app.x arch.x --rnus 7", "unknown flag"},
		{4, "    xopt validate app.x arch.x --runs many", "--runs"},
		{4, "    xopt version app.x", "does not take"},
		{6, "- **Date:** yesterday", "no date"},
		{7, "- **Machine:** AMD EPYC", "no machine"},
	} {
		bad := slices.Clone(good)
		bad[c.line] = c.now
		if err := pageHead(strings.Join(bad, "\n")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %q: %v, want %q", c.now, err, c.want)
		}
	}
}
