package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
)

var update = flag.Bool("update", false, "write docs/options.md and configs/xopt.yaml anew")

// everyCommand calls do with every command of the program.
func everyCommand(t *testing.T, do func(c *cobra.Command)) {
	t.Helper()
	root, err := newApp(io.Discard, io.Discard).rootCommand()
	if err != nil {
		t.Fatal(err)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		do(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// TestEveryFlagIsAnOption checks that every flag of a command is a record of the table, and every record a flag of
// each command that it names.
func TestEveryFlagIsAnOption(t *testing.T) {
	declared := make(map[string]bool)
	everyCommand(t, func(c *cobra.Command) {
		check := func(f *pflag.Flag) {
			v, ok := f.Value.(*options.Value)
			switch {
			case !ok && f.Name != "help" && f.Name != "help-all" && f.Name != "version":
				t.Errorf("%s --%s is not an option of the table", c.CommandPath(), f.Name)
			case ok && v.Option.Name != f.Name:
				t.Errorf("%s --%s is option %s", c.CommandPath(), f.Name, v.Option.Name)
			}
			declared[options.CommandOf(c)+" --"+f.Name] = true
		}
		c.Flags().VisitAll(check)
		c.PersistentFlags().VisitAll(check)
	})
	for _, o := range newApp(io.Discard, io.Discard).table {
		for _, command := range o.Commands {
			if !declared[command+" --"+o.Name] {
				t.Errorf("option --%s names %s, which does not have it", o.Name, command)
			}
		}
	}
}

// TestTable checks that each key and variable is unique, that each command is listed once per record, and that
// defaults can be parsed.
func TestTable(t *testing.T) {
	variables, words := make(map[string]string), make(map[string]string)
	seen := make(map[string]bool)
	for _, o := range newApp(io.Discard, io.Discard).table {
		if o.Is(options.PerCommand) && len(o.Commands) != 1 {
			t.Errorf("--%s is of %v: what means something else in each command is of one", o.Name, o.Commands)
		}
		if key := variables[o.Variable()]; key != "" && key != o.Key() {
			t.Errorf("%s is %s and %s", o.Variable(), key, o.Key())
		}
		variables[o.Variable()] = o.Key()
		if word, ok := words[o.Key()]; ok && word != o.Metavar {
			t.Errorf("%s is %q and %q: what means something else in a command is ofCommand", o.Key(), word, o.Metavar)
		}
		words[o.Key()] = o.Metavar
		for _, command := range o.Commands {
			if at := command + " --" + o.Name; seen[at] {
				t.Errorf("%s is in the table twice", at)
			} else {
				seen[at] = true
			}
		}
		if !slices.Contains(options.Groups(), o.Group) {
			t.Errorf("--%s is in no group", o.Name)
		}
		v, err := options.NewValue(o)
		if err != nil {
			t.Error(err)
		} else if err := v.Validate(o.Default); err != nil && o.Default != "" {
			t.Errorf("the default of %s: %v", o.Key(), err)
		}
		if o.Help == "" || strings.HasSuffix(o.Help, ".") || strings.Contains(o.Help, "\n") {
			t.Errorf("the help of --%s: want a phrase in one line, without a full stop", o.Name)
		}
	}
}

// Limits of --help: lines for a command and for the program, and options of a command.
const (
	maxHelpLines    = 30
	maxProgramLines = 48
	maxHelpColumns  = 80
	maxHelpOptions  = 10
)

// helpOf returns the lines of the help of a command.
func helpOf(t *testing.T, path, flag string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), append(strings.Fields(path)[1:], flag), &out, &errs); code != exitDone {
		t.Fatalf("%s %s: exit code %d: %s", path, flag, code, errs.String())
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}

// TestHelp checks that --help of every command is short and shows each common option in one line, that --help-all
// shows every option once, and that both fit 80 columns.
func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "")
	table := newApp(io.Discard, io.Discard).table
	everyCommand(t, func(c *cobra.Command) {
		path, command := c.CommandPath(), options.CommandOf(c)
		if !c.IsAvailableCommand() || strings.Contains(path, "completion") || c.Name() == "help" ||
			strings.HasPrefix(path, "xopt "+options.ShowPrefix+" ") {
			return
		}
		short, all := helpOf(t, path, "--help"), helpOf(t, path, "--help-all")
		limit := maxHelpLines
		if !c.HasParent() {
			limit = maxProgramLines
		}
		if len(short) > limit || !strings.Contains(short[len(short)-1], path+" --help-all") {
			t.Errorf("%s --help has %d lines, want at most %d, the last of which names --help-all:\n%s", path,
				len(short), limit, strings.Join(short, "\n"))
		}
		for i, line := range append(slices.Clone(short), all...) {
			example := i >= len(short) && strings.HasPrefix(line, "    ") // stays as a user types it
			if n := len([]rune(line)); n > maxHelpColumns && !example {
				t.Errorf("%s --help: %d columns: %s", path, n, line)
			}
		}
		common := 0
		for _, o := range table.ForCommand(command) {
			if n := rowsOf(all, o.Name); n != 1 {
				t.Errorf("%s --help-all shows --%s %d times", path, o.Name, n)
			}
			if !slices.Contains(o.Common, command) {
				continue
			}
			common++
			at := slices.IndexFunc(short, func(line string) bool { return rowsOf([]string{line}, o.Name) == 1 })
			if at < 0 || strings.HasPrefix(short[at+1], "          ") {
				t.Errorf("%s --help does not show --%s in one line: %q", path, o.Name, short[max(at, 0):max(at, 0)+2])
			}
		}
		if common > maxHelpOptions || common == 0 && len(table.ForCommand(command)) > len(table.ForCommand("")) {
			t.Errorf("%s --help shows %d options, want 1 to %d", path, common, maxHelpOptions)
		}
	})
}

// rowsOf counts the lines of a help that start with an option.
func rowsOf(lines []string, name string) int {
	row := regexp.MustCompile(`^  (-\w, |    )--` + regexp.QuoteMeta(name) + `( |$)`)
	n := 0
	for _, line := range lines {
		if row.MatchString(line) {
			n++
		}
	}
	return n
}

// TestHelpTexts checks that the help of each option has at most 80 characters, that an option is common only for
// commands that have it, and that it is documented once. Each command is in one group of xopt --help.
func TestHelpTexts(t *testing.T) {
	table := newApp(io.Discard, io.Discard).table
	private := regexp.MustCompile(`(?i)\b(is what|what is|told|apart|perhaps|whole|goes before|at the most)\b`)
	var doc bytes.Buffer
	if err := table.WriteDoc(&doc); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(doc.String(), "\n| `"); rows != len(table) {
		t.Errorf("the page of options has %d rows, want %d", rows, len(table))
	}
	for _, o := range table {
		if n := len([]rune(o.Help)); n > maxHelpColumns {
			t.Errorf("the help of --%s has %d characters: %s", o.Name, n, o.Help)
		}
		if word := private.FindString(o.Help + " " + o.Details); word != "" {
			t.Errorf("the help of --%s contains %q", o.Name, word)
		}
		if o.Details != "" && !strings.HasSuffix(o.Details, ".") {
			t.Errorf("the details of --%s are no sentences: %s", o.Name, o.Details)
		}
		for _, command := range o.Common {
			if !o.Has(command) {
				t.Errorf("--%s is common for %s, which does not have it", o.Name, command)
			}
		}
	}
	grouped := make(map[string]int)
	for _, g := range tasks() {
		for _, name := range g.Commands {
			grouped[name]++
		}
	}
	everyCommand(t, func(c *cobra.Command) {
		if c.HasParent() && !c.Parent().HasParent() && c.IsAvailableCommand() && grouped[c.Name()] != 1 {
			t.Errorf("%s is in %d groups of xopt --help", c.Name(), grouped[c.Name()])
		}
	})
}

// TestWrongValues checks that a wrong value of any option of any command ends the command with exit code 2 before it
// does anything. The error contains the origin, the value and the valid values.
func TestWrongValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, o := range newApp(io.Discard, io.Discard).table {
		const bad = "nonsense!"
		if v, err := options.NewValue(o); err != nil || v.Set(bad) == nil {
			continue // any text will do
		}
		for _, command := range o.Commands {
			show := slices.Concat(strings.Fields(options.ShowPrefix), strings.Fields(command))
			if err := os.WriteFile("wrong.yaml", []byte("# wrong\n"+o.Key()+": "+bad+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, x := range []struct {
				name string
				args []string
				env  string
			}{
				{"--" + o.Name, append(strings.Fields(command), "a.x", "b.x", "--"+o.Name+"="+bad), ""},
				{o.Variable(), show, bad},
				{"wrong.yaml:2: " + o.Key(), append(show, "--config", "wrong.yaml"), ""},
			} {
				if o.Is(options.NotInFile) && slices.Contains(x.args, "wrong.yaml") {
					continue
				}
				t.Setenv(o.Variable(), x.env)
				text := fails(t, 2, x.args...)
				for _, word := range append(slices.Clone(o.Values), x.name, bad, " [wrong-") {
					if !strings.Contains(text, word) {
						t.Errorf("%s --%s, given as %s: %q is missing in: %s", command, o.Name, x.name, word, text)
					}
				}
			}
			t.Setenv(o.Variable(), "")
		}
	}
}

// fails runs the program and returns the text of its error, which must have a code.
func fails(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, &out, &errs); got != code {
		t.Errorf("xopt %s: exit code %d, want %d: %s", strings.Join(args, " "), got, code, errs.String())
	}
	return errs.String()
}

// sample returns two valid values of an option other than its default.
func sample(o *options.Option) (first, second string) {
	switch {
	case o.Name == "objective":
		return "latency", "area"
	case o.Name == "set":
		return "a.b=1", "a.b=2"
	case o.Name == "frame":
		return "20ms", "30ms"
	case o.Name == "max-buffer-memory":
		return "64KiB", "0"
	case o.Name == "keep" && o.Kind == options.Text:
		return "90", "95"
	case o.Name == "from" && len(o.Values) == 0:
		return settings.FromProfile, "replay:x.trace"
	case o.Name == "gap", o.Name == "doubt", o.Name == "monitor-area":
		return "5", "7"
	case len(o.Values) > 1:
		list := slices.DeleteFunc(slices.Clone(o.Values), func(s string) bool { return s == o.Default })
		return list[0], list[len(list)-1]
	}
	switch o.Kind {
	case options.Switch:
		return "true", "false"
	case options.Count, options.Number:
		if o.Name == "elements" {
			return "1001", "1002"
		}
		return "7", "8"
	case options.Real:
		return "0.25", "0.5"
	case options.Duration:
		return "2m0s", "3m0s"
	case options.Size:
		return "64KiB", "1MB"
	case options.Rate:
		return "40MB/s", "1GB/s"
	case options.Time:
		return "3ms", "4ms"
	}
	return "one", "two"
}

// TestPrecedence checks the order of precedence for every option of every command: a flag, a variable, the command's
// section of the file, the top level of the file.
func TestPrecedence(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, o := range newApp(io.Discard, io.Discard).table {
		if o.Is(options.NotInFile) {
			continue
		}
		a, b := sample(o)
		commands := o.Commands
		if testing.Short() && len(o.Commands) > 2 { // the first and the last stand for all
			commands = []string{o.Commands[0], o.Commands[len(o.Commands)-1]}
		}
		for _, command := range commands {
			line := append(strings.Fields(options.ShowPrefix), strings.Fields(command)...)
			if o.Is(options.NotInProject) {
				line = append(line, "--config", options.FileName)
			}
			file := func(text string) {
				if err := os.WriteFile(options.FileName, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			expect := func(value, origin string, flags ...string) {
				t.Helper()
				var out, errs bytes.Buffer
				if code := run(context.Background(), append(line, flags...), &out, &errs); code != 0 {
					t.Fatalf("%s --%s: %s", command, o.Name, errs.String())
				}
				for row := range strings.Lines(out.String()) {
					if f := strings.Fields(row); f[0] == o.Key() {
						if got := f[1] + " " + f[2]; got != value+" "+origin {
							t.Errorf("%s --%s: got %s, want %s %s", command, o.Name, got, value, origin)
						}
						return
					}
				}
				t.Errorf("%s --%s is not shown", command, o.Name)
			}
			file("# nothing\n")
			usual, err := options.NewValue(o)
			if err != nil {
				t.Fatal(err)
			}
			shown := usual.String()
			if shown == "" {
				shown = "-"
			}
			expect(shown, options.OriginDefault)
			file(fmt.Sprintf("%s: %s\n", o.Key(), quoted(o, a)))
			expect(a, options.FileName+":1")
			if !o.Is(options.PerCommand) {
				file(fmt.Sprintf("%s: %s\n%s.%s: %s\n", o.Key(), quoted(o, b),
					options.Section(command), o.Name, quoted(o, a)))
				expect(a, options.FileName+":2")
			}
			t.Setenv(o.Variable(), b)
			expect(b, o.Variable())
			expect(a, options.OriginFlag, "--"+o.Name+"="+a)
			t.Setenv(o.Variable(), "")
		}
	}
}

// quoted returns a value as YAML.
func quoted(o *options.Option, text string) string {
	if o.Kind.IsList() {
		return "[" + text + "]"
	}
	return text
}

// TestWrittenDocs checks that docs/options.md and configs/xopt.yaml equal the program's output; -update rewrites
// them.
func TestWrittenDocs(t *testing.T) {
	for path, write := range map[string]func(io.Writer) error{
		filepath.Join("..", "..", "docs", "options.md"):        newApp(io.Discard, io.Discard).table.WriteDoc,
		filepath.Join("..", "..", "configs", options.FileName): newApp(io.Discard, io.Discard).table.WriteFile,
	} {
		var want bytes.Buffer
		if err := write(&want); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what the table of options says: go test ./cmd/xopt -run TestWrittenDocs -update", path)
		}
	}
}

// TestDefaultFile checks that configs/xopt.yaml names every option with its default, and that every line can be
// parsed without its comment mark.
func TestDefaultFile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "configs", options.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, variable := range os.Environ() { // what is set where the tests run is not a default
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "XOPT_") {
			t.Setenv(name, value)
			os.Unsetenv(name)
		}
	}
	var active strings.Builder
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") &&
			strings.Contains(rest, ":") {
			active.WriteString(rest)
		}
	}
	show := func(content string) []string {
		if err := os.WriteFile(options.FileName, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(context.Background(), strings.Fields(options.ShowPrefix), &out, &errs); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	defaults, file := show(string(text)), show(active.String())
	if len(defaults) != len(file) || len(defaults) < 50 {
		t.Fatalf("%d settings are shown, and %d with the file", len(defaults), len(file))
	}
	for i, line := range defaults {
		want := strings.Fields(line)
		if got := strings.Fields(file[i]); want[2] != options.OriginDefault || got[0] != want[0] || got[1] != want[1] ||
			!strings.HasPrefix(got[2], options.FileName+":") {
			t.Errorf("the file gives %q, the default is %q", file[i], line)
		}
	}
}

// TestExamplesParse checks that the examples of all commands use existing commands and flags.
func TestExamplesParse(t *testing.T) {
	everyCommand(t, func(c *cobra.Command) {
		path := options.CommandOf(c)
		if c.HasAvailableSubCommands() || c.Parent() == nil || strings.HasPrefix(path, "completion") ||
			strings.HasPrefix(c.CommandPath(), "xopt "+options.ShowPrefix+" ") {
			return
		}
		if c.Example == "" && c.Name() != "version" && c.Name() != "help" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			words := exampleWords(line)
			root, err := newApp(io.Discard, io.Discard).rootCommand()
			if err != nil {
				t.Fatal(err)
			}
			of, args, err := root.Find(words[1:])
			if err == nil {
				err = of.ParseFlags(args)
			}
			if err == nil {
				err = of.ValidateArgs(of.Flags().Args())
			}
			if err != nil || words[0] != "xopt" || of == root {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
			}
		}
	})
}

// exampleWords cuts an example at spaces outside quotes, up to its explanation.
func exampleWords(line string) []string {
	line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
	line, _, _ = strings.Cut(line, " > ")
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
