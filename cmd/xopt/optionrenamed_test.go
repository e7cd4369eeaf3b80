package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestEarlierNames: the earlier name of each option works in each of its commands as a flag, as a key in the section
// of the command and outside, and as a variable, with one note that says the new name; the new name goes first.
func TestEarlierNames(t *testing.T) {
	t.Chdir(t.TempDir())
	tested := 0
	for _, o := range options() {
		if o.old == "" {
			continue
		}
		first, second := sample(o)
		for _, command := range o.in {
			tested++
			in := section(command) + "."
			for _, way := range []struct{ old, now, key, variable, flag, origin string }{
				{"--" + o.old, "--" + o.name, "", "", "--" + o.old + "=" + first, fromFlag},
				{in + o.old, in + o.name, in + o.old, "", "", configName + ":1"},
				{o.earlierKey(), o.key(), o.earlierKey(), "", "", configName + ":1"},
				{variable(o.earlierKey()), o.variable(), "", variable(o.earlierKey()), "", ""},
			} {
				if way.old == "" || o.earlierKey() == "" && way.now == o.variable() {
					continue // outside sections the name is that of another option
				}
				e := earlier{option: o, command: command, value: first, old: way.old, now: way.now, origin: way.origin}
				if way.key != "" {
					e.file = way.key + ": " + first + "\n"
				}
				if way.flag != "" {
					e.flags = []string{way.flag}
				}
				if way.variable != "" {
					e.origin = way.variable
					t.Setenv(way.variable, first)
				}
				e.check(t)
				if way.variable != "" {
					t.Setenv(way.variable, "")
				}
			}
			both := in + o.old + ": " + first + "\n" + in + o.name + ": " + second + "\n"
			earlier{option: o, command: command, value: second, old: in + o.old, now: in + o.name,
				origin: configName + ":2", file: both}.check(t)
		}
	}
	if tested < 6 {
		t.Errorf("%d earlier names were tested", tested)
	}
}

// earlier is one use of an earlier name, and what config show says of it.
type earlier struct {
	option                  *option
	command, file           string
	flags                   []string
	value, origin, old, now string
}

func (e earlier) check(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(configName, []byte(e.file), 0o644); err != nil {
		t.Fatal(err)
	}
	line := append(append(strings.Fields(showPrefix), strings.Fields(e.command)...), e.flags...)
	var out, errs bytes.Buffer
	if code := run(context.Background(), line, &out, &errs); code != 0 {
		t.Errorf("%s of %s: %s", e.old, e.command, errs.String())
		return
	}
	shown := ""
	for row := range strings.Lines(out.String()) {
		if f := strings.Fields(row); f[0] == e.option.key() {
			shown = f[1] + " " + f[2]
		}
	}
	if want := e.value + " " + e.origin; shown != want {
		t.Errorf("%s of %s: got %q, want %q", e.old, e.command, shown, want)
	}
	place := ""
	if e.file != "" {
		place = configName + ":1: "
	}
	if want := "note: " + place + e.old + " is now called " + e.now + "\n"; errs.String() != want {
		t.Errorf("%s of %s: noted %q, want %q", e.old, e.command, errs.String(), want)
	}
}

// TestEarlierNamesOfAll: config show, which is about all commands, notes earlier names of any; in commands that do not
// have the option they are neither an error nor noted.
func TestEarlierNamesOfAll(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ key, variable, command, want string }{
		{"save", "", showPrefix, "note: xopt.yaml:1: save is now called deploy.out\n"},
		{"validate.random-seed", "", showPrefix,
			"note: xopt.yaml:1: validate.random-seed is now called validate.seed\n"},
		{"draw-seed", "", showPrefix, "note: xopt.yaml:1: draw-seed is now called seed\n"},
		{"output", "", showPrefix, "note: xopt.yaml:1: output is now called search.out\n"},
		{"random-seed", "", showPrefix + " search", ""},
		{"deploy.output", "", showPrefix + " search", ""},
		{"", "XOPT_RANDOM_SEED", showPrefix, "note: XOPT_RANDOM_SEED is now called XOPT_SEED\n"},
		{"", "XOPT_DRAW_SEED", showPrefix + " search", ""},
		{"", "XOPT_SAVE", showPrefix, "note: XOPT_SAVE is now called XOPT_DEPLOY_OUT\n"},
		{"", "XOPT_DEPLOY_SAVE", showPrefix + " deploy", "note: XOPT_DEPLOY_SAVE is now called XOPT_DEPLOY_OUT\n"},
		{"", "XOPT_REPORT_OUTPUT", showPrefix + " report", "note: XOPT_REPORT_OUTPUT is now called XOPT_REPORT_OUT\n"},
	} {
		text := "# nothing\n"
		if c.key != "" {
			text = c.key + ": 5\n"
		} else {
			t.Setenv(c.variable, "5")
		}
		if err := os.WriteFile(configName, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.command), &out, &errs); code != 0 ||
			errs.String() != c.want {
			t.Errorf("%s %s%s: code %d, %q, want %q", c.command, c.key, c.variable, code, errs.String(), c.want)
		}
		if c.variable != "" {
			os.Unsetenv(c.variable)
		}
	}
}

// TestMeantVariable: what is noted of variables that are not settings.
func TestMeantVariable(t *testing.T) {
	for name, want := range map[string]string{
		"XOPT_SED":        ", did you mean XOPT_SEED?",
		"XOPT_DEPLOY_TIM": ", did you mean XOPT_DEPLOY_TIME?",
		"XOPT_TASKS": "; name the command: XOPT_BENCH_SEARCH_TASKS, XOPT_BENCH_PROOFS_TASKS, " +
			"XOPT_BENCH_SYNTHETIC_TASKS",
		"XOPT_ZZZZ": "",
	} {
		got := strings.Join(options().unknownEnvironment([]string{name + "=1", "XOPT_SEED=1", "HOME=/"}), "\n")
		if want = name + " in the environment is not a setting" + want; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
