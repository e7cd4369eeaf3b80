// Package options reads options and generates their documentation. The table of options is in package settings. Flags,
// XOPT_ variables, xopt.yaml, --help, completion, `xopt config` and docs/options.md follow from it.
package options

import (
	"slices"
	"strings"
)

// Option is the single definition of one setting.
type Option struct {
	Name    string // flag without its dashes
	Short   string // one letter, or ""
	Kind    Kind
	To      any      // pointer to the field for the value, of the kind's type
	Default string   // default as text; "" for none
	Metavar string   // placeholder of the value in --help; "" for the placeholder of the kind
	Help    string   // one phrase of at most 80 characters, without a full stop
	Details string   // further sentences for --help-all and docs/options.md; "" for none
	Common  []string // commands whose short --help lists the option; at most ten options per command
	Values  []string // allowed words; nil for any value
	// Suggested are the words that shells suggest if Values allows any text.
	Suggested []string
	Commands  []string // commands with this option, such as "config show"; nil for all
	Group     string   // heading in --help
	Check     func(any) error
	Traits    Traits
}

// Traits is a set of properties that few options have.
type Traits uint8

const (
	// PerCommand marks an option whose name has a different meaning in another command. Users set it as COMMAND.NAME in
	// xopt.yaml and as XOPT_COMMAND_NAME in the environment.
	PerCommand Traits = 1 << iota
	// AffectsScore marks an option that changes predictions. Map files and checkpoints record it.
	AffectsScore
	// AffectsGoal marks an option that changes the objective or the constraints of a search.
	AffectsGoal
	// NotInFile marks an option that xopt.yaml cannot set.
	NotInFile
	// NotInProject marks an option that the xopt.yaml of a working folder cannot set. A file named by --config can set
	// it.
	NotInProject
	// MayNameFile marks an option whose text may name a file. If the xopt.yaml of a working folder sets the option, the
	// file must be in that folder. The same rule applies to the kinds File, Files and Folder.
	MayNameFile
)

// Is reports whether the option has a property.
func (o *Option) Is(p Traits) bool { return o.Traits&p != 0 }

// Headings of options in --help, in their order.
const (
	GroupModel    = "Model"
	GroupSearch   = "Search"
	GroupGoal     = "Objective and constraints"
	GroupRun      = "Run"
	GroupMeasure  = "Measurement"
	GroupDrawn    = "Synthetic applications"
	GroupOutput   = "Output"
	GroupResuming = "Resuming"
	GroupGlobal   = "All commands"
)

func Groups() []string {
	return []string{GroupModel, GroupSearch, GroupGoal, GroupRun, GroupMeasure, GroupDrawn, GroupResuming, GroupOutput,
		GroupGlobal}
}

// flag returns the flag as --help shows it, such as "-o, --out FILE".
func (o *Option) flag() string {
	name := "    --" + o.Name
	if o.Short != "" {
		name = "-" + o.Short + ", --" + o.Name
	}
	return strings.TrimRight(name+" "+o.values(), " ")
}

// values returns the placeholder of the value, with dots if the flag is repeatable.
func (o *Option) values() string {
	if o.Kind.repeatable() {
		return o.Placeholder() + "..."
	}
	return o.Placeholder()
}

// line returns the help text with the default, unless the default is 0.
func (o *Option) line() string {
	if o.Default == "" || o.Default == "0" || o.Default == "0s" {
		return o.Help
	}
	return o.Help + " (default " + o.Default + ")"
}

// more returns the details and the allowed words; "" for none.
func (o *Option) more() string {
	list := []string{o.Details}
	if len(o.Values) > 0 {
		list = append(list, "Values: "+strings.Join(o.Values, ", ")+".")
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

// Has reports whether the option applies to a command.
func (o *Option) Has(command string) bool {
	return o.Commands == nil || slices.Contains(o.Commands, command)
}

// Key returns the key of the option in xopt.yaml.
func (o *Option) Key() string {
	if o.Is(PerCommand) {
		return Section(o.Commands[0]) + "." + o.Name
	}
	return o.Name
}

// Variable returns the environment variable of the option.
func (o *Option) Variable() string {
	return variable(o.Key())
}

// Section returns the section of a command in xopt.yaml, such as "config.show" for "config show".
func Section(command string) string { return strings.ReplaceAll(command, " ", ".") }

// Table lists the options of a program.
type Table []*Option

// ForCommand lists the options of a command.
func (t Table) ForCommand(command string) Table {
	var list Table
	for _, o := range t {
		if o.Has(command) {
			list = append(list, o)
		}
	}
	return list
}

// HasOwn reports whether a command has options besides the global options.
func (t Table) HasOwn(command string) bool {
	return slices.ContainsFunc(t, func(o *Option) bool { return o.Commands != nil && o.Has(command) })
}

// Distinct lists one option for each key in xopt.yaml.
func (t Table) Distinct() Table {
	var list Table
	seen := make(map[string]bool)
	for _, o := range t {
		if !seen[o.Key()] {
			seen[o.Key()] = true
			list = append(list, o)
		}
	}
	return list
}

// commandsOf lists the commands with an option that has this key.
func (t Table) commandsOf(key string) []string {
	var list []string
	for _, o := range t {
		if o.Key() == key {
			list = append(list, o.Commands...)
		}
	}
	return list
}

// Sections returns the sections of xopt.yaml: one for each command with its own options, and for its parent commands.
func (t Table) Sections() []string {
	var list []string
	for _, o := range t {
		for _, command := range o.Commands {
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
func (t Table) keys() []string {
	var list []string
	for _, o := range t.Distinct() {
		if !o.Is(NotInFile) {
			list = append(list, o.Key())
		}
	}
	return list
}

// meantBy lists the options that a key of xopt.yaml sets in at least one command.
func (t Table) meantBy(key string) Table {
	var list Table
	for _, o := range t {
		if o.Is(NotInFile) {
			continue
		}
		named := o.Key() == key
		for _, command := range o.Commands {
			named = named || Section(command)+"."+o.Name == key
		}
		if named {
			list = append(list, o)
		}
	}
	return list
}

// keysIn returns the option's keys in xopt.yaml for a command, in order of precedence.
func (o *Option) keysIn(command string) []string {
	if o.Is(PerCommand) {
		command = o.Commands[0] // any command with this option
	}
	if slices.Contains(o.Commands, command) {
		return []string{Section(command) + "." + o.Name, o.Key()}
	}
	return []string{o.Key()}
}

// IsOutput reports whether an option concerns output files or resuming. For campaigns, xopt campaign collect and resume
// replace these options.
func (o *Option) IsOutput() bool {
	computed := o.Name == "top" || o.Name == "bytes" // these two affect more than the output
	return o.Group == GroupResuming || o.Group == GroupOutput && !computed
}
