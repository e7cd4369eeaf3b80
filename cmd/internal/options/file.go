package options

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"xopt/cmd/faults"
	"xopt/internal/files/infile"
)

// FileName is the name of the settings file in a working folder.
const FileName = "xopt.yaml"

// maxConfig is the maximum size of a settings file, in bytes.
const maxConfig = 1 << 20

// Entry is one setting of a file.
type Entry struct {
	Key    string // including its sections, such as import.sdf3.cores
	Values []string
	Place  string // file:line
}

// Settings contains the entries of a settings file.
type Settings struct {
	words   FileWords
	path    string
	table   Table
	Entries []Entry
	// ofProject is true if xopt found the file in the working folder, and false if the user named it.
	ofProject bool
}

// FileWords are the words that errors use for a file: a description of the file, and an example of a line.
type FileWords struct{ What, Example string }

func (t Table) readSettings(path string) (*Settings, error) {
	return ReadFile(FileWords{"settings from ", "seed: 7"}, path, t)
}

// ReadFile reads a file in the format of settings, with the sections of t.
func ReadFile(words FileWords, path string, t Table) (*Settings, error) {
	f := &Settings{words: words, path: path, table: t}
	text, err := infile.Read(path, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s%s: %w", words.What, path, err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading %s%s: %w", words.What, path, err)
	}
	for _, top := range document.Content {
		if err := f.section("", top); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Settings) place(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.path, n.Line) }

// section reads the entries of a YAML mapping.
func (f *Settings) section(prefix string, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return faults.WrongSetting.Errorf("%s: expected NAME: VALUE, such as %s", f.place(n), f.words.Example)
	}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		errs = append(errs, f.entry(prefix+n.Content[i].Value, n.Content[i], resolved(n.Content[i+1])))
	}
	return errors.Join(errs...)
}

// resolved returns the node that an alias refers to.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entry reads the node of one key: a value, a list of values, or the section of a command.
func (f *Settings) entry(key string, name, n *yaml.Node) error {
	e := Entry{Key: key, Place: f.place(name)}
	switch n.Kind {
	case yaml.MappingNode:
		if existing := f.table.Sections(); !slices.Contains(existing, key) {
			return faults.UnknownSection.Errorf("%s: unknown section %q%s", e.Place, key, DidYouMean("", key, existing))
		}
		return f.section(key+".", n)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolved(item); item.Kind != yaml.ScalarNode {
				return faults.WrongSetting.Errorf("%s: expected a list of values for %s", f.place(item), key)
			}
			e.Values = append(e.Values, item.Value)
		}
	default:
		if n.Tag == "!!null" {
			return nil // an option without a value is not set
		}
		e.Values = []string{n.Value}
	}
	for _, other := range f.Entries {
		if other.Key == key {
			return faults.SettingTwice.Errorf("%s: %s is already set at %s", e.Place, key, other.Place)
		}
	}
	f.Entries = append(f.Entries, e)
	return nil
}

// of returns the entry of an option for a command: from the command's section, else from the top level, else nil.
func (f *Settings) of(o *Option, command string) *Entry {
	for _, key := range o.keysIn(command) {
		for i := range f.Entries {
			if f.Entries[i].Key == key {
				return &f.Entries[i]
			}
		}
	}
	return nil
}

// check rejects unknown keys. It also rejects a value if no option with its key accepts it.
func (f *Settings) check() error {
	var errs []error
	for i := range f.Entries {
		e := &f.Entries[i]
		meant := f.table.meantBy(e.Key)
		if len(meant) == 0 {
			errs = append(errs, faults.UnknownSetting.Errorf("%s: unknown setting %q%s; see xopt config show",
				e.Place, e.Key, f.table.meant(e.Key)))
			continue
		}
		var failed error
		for _, o := range meant {
			v, err := NewValue(o)
			if err == nil {
				err = v.Assign(e.Values, e.Place)
			}
			if failed = err; err == nil {
				break
			}
		}
		errs = append(errs, failed)
	}
	return errors.Join(errs...)
}
