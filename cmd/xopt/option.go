package main

import (
	"slices"
	"strings"
)

// option is one thing that a user can set. The records of all options (options.go) are the only
// place where they are described: flags, variables XOPT_…, xopt.yaml, config show, completion,
// --help and docs/options.md come from them.
type option struct {
	name    string // of the flag
	short   string // one letter, or ""
	kind    kind
	to      any      // the field that holds the value: a pointer of the kind's type
	usual   string   // the default as text; "" for none
	word    string   // what stands for the value in --help; "" for the kind's
	help    string   // one phrase without a full stop
	values  []string // the words that it takes; nil for any
	in      []string // the commands that have it, such as "import sdf3"; nil for all
	group   string   // its heading in --help
	check   func(any) error
	perhaps perhaps
}

// perhaps are what holds of a few options only.
type perhaps uint8

const (
	// ofCommand: the name means something else in another command. Such an option is set as
	// COMMAND.NAME in xopt.yaml and as XOPT_COMMAND_NAME.
	ofCommand perhaps = 1 << iota
	// ofScore: the predictions of a mapping depend on it, so that map files and checkpoints name it.
	ofScore
	// ofGoal: what a search looks for depends on it.
	ofGoal
	// notInFile: it cannot be set in xopt.yaml.
	notInFile
	// notInProject: the xopt.yaml of a working folder cannot set it, only a file that --config names.
	notInProject
)

func (o *option) is(p perhaps) bool { return o.perhaps&p != 0 }

// The headings of options in --help, in their order.
const (
	groupModel    = "Model"
	groupSearch   = "Search"
	groupGoal     = "What to search for"
	groupRun      = "Run"
	groupMeasure  = "Measuring"
	groupDrawn    = "Synthetic applications"
	groupOutput   = "Output"
	groupResuming = "Going on after an interruption"
	groupGlobal   = "All commands"
)

func groups() []string {
	return []string{groupModel, groupSearch, groupGoal, groupRun, groupMeasure, groupDrawn, groupResuming, groupOutput,
		groupGlobal}
}

// has reports whether a command has the option.
func (o *option) has(command string) bool { return o.in == nil || slices.Contains(o.in, command) }

// key is what the option is called in xopt.yaml.
func (o *option) key() string {
	if o.is(ofCommand) {
		return section(o.in[0]) + "." + o.name
	}
	return o.name
}

// variable is what the option is called in the environment.
func (o *option) variable() string {
	return variable(o.key())
}

// section is what a command is called in xopt.yaml: "import sdf3" is import.sdf3.
func section(command string) string { return strings.ReplaceAll(command, " ", ".") }

// table is the list of all options.
type table []*option

// of lists the options of a command.
func (t table) of(command string) table {
	var list table
	for _, o := range t {
		if o.has(command) {
			list = append(list, o)
		}
	}
	return list
}

// hasOwn reports whether a command has options beside those of all commands.
func (t table) hasOwn(command string) bool {
	return slices.ContainsFunc(t, func(o *option) bool { return o.in != nil && o.has(command) })
}

// distinct lists one option for each key of xopt.yaml.
func (t table) distinct() table {
	var list table
	seen := make(map[string]bool)
	for _, o := range t {
		if !seen[o.key()] {
			seen[o.key()] = true
			list = append(list, o)
		}
	}
	return list
}

// commandsOf lists the commands in which a key sets something.
func (t table) commandsOf(key string) []string {
	var list []string
	for _, o := range t {
		if o.key() == key {
			list = append(list, o.in...)
		}
	}
	return list
}

// sections lists the commands that a section of xopt.yaml can be of, with those that group others.
func (t table) sections() []string {
	var list []string
	for _, o := range t {
		for _, command := range o.in {
			parts := strings.Split(command, " ")
			for n := range parts {
				if s := strings.Join(parts[:n+1], "."); !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// keys lists the keys of all options in xopt.yaml.
func (t table) keys() []string {
	var list []string
	for _, o := range t.distinct() {
		if !o.is(notInFile) {
			list = append(list, o.key())
		}
	}
	return list
}

// meantBy lists the options that a key of xopt.yaml sets in some command.
func (t table) meantBy(key string) table {
	var list table
	for _, o := range t {
		if o.is(notInFile) {
			continue
		}
		named := o.key() == key
		for _, command := range o.in {
			named = named || section(command)+"."+o.name == key
		}
		if named {
			list = append(list, o)
		}
	}
	return list
}

// keysIn lists the option's keys in xopt.yaml where a command runs: the one that overrides the others first.
func (o *option) keysIn(command string) []string {
	if o.is(ofCommand) {
		command = o.in[0] // whatever shows it
	}
	if slices.Contains(o.in, command) {
		return []string{section(command) + "." + o.name, o.key()}
	}
	return []string{o.key()}
}
