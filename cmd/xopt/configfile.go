package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"go.yaml.in/yaml/v3"

	"xopt/internal/files/infile"
)

// configName is the file that options are read from in the working folder.
const configName = "xopt.yaml"

// maxConfig is how many bytes of it are read.
const maxConfig = 1 << 20

// configEntry is what a file says of one option.
type configEntry struct {
	key    string // with the sections that it stands in: import.sdf3.cores
	values []string
	place  string // file:line
}

// configFile is what a file with options says.
type configFile struct {
	words   configWords
	path    string
	table   table
	entries []configEntry
	// ofProject: it was found in the working folder, and not named by the user.
	ofProject bool
}

// configWords are those of errors in a file with options: what is read from it, and an example of a line.
type configWords struct{ what, such string }

// readConfig reads a file with options. One that is not there is empty, unless it must be.
func readConfig(path string, must bool, t table) (*configFile, error) {
	return readConfigOf(configWords{"settings from ", "seed: 7"}, path, must, t)
}

func readConfigOf(words configWords, path string, must bool, t table) (*configFile, error) {
	f := &configFile{words: words, path: path, table: t}
	text, err := infile.Read(path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s%s: %w", words.what, path, err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading %s%s: %w", words.what, path, err)
	}
	for _, top := range document.Content {
		if err := f.section("", top); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// place is where a node stands.
func (f *configFile) place(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.path, n.Line) }

// section reads the entries of a mapping.
func (f *configFile) section(prefix string, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("%s: want NAME: VALUE, such as %s", f.place(n), f.words.such)
	}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		errs = append(errs, f.entry(prefix+n.Content[i].Value, n.Content[i], resolved(n.Content[i+1])))
	}
	return errors.Join(errs...)
}

// resolved is what a node stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entry reads what stands under one key: a value, a list of them, or a command's section.
func (f *configFile) entry(key string, name, n *yaml.Node) error {
	e := configEntry{key: key, place: f.place(name)}
	switch n.Kind {
	case yaml.MappingNode:
		if known := f.table.sections(); !slices.Contains(known, key) {
			return fmt.Errorf("%s: unknown section %q%s", e.place, key, didYouMean("", key, known))
		}
		return f.section(key+".", n)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolved(item); item.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s: %s: want a list of values", f.place(item), key)
			}
			e.values = append(e.values, item.Value)
		}
	default:
		if n.Tag == "!!null" {
			return nil // not given
		}
		e.values = []string{n.Value}
	}
	for _, other := range f.entries {
		if other.key == key {
			return fmt.Errorf("%s: %s is given already at %s", e.place, key, other.place)
		}
	}
	f.entries = append(f.entries, e)
	return nil
}

// of returns what the file says of an option of a command: first in the command's section, then
// for all commands. It is nil where the file says nothing.
func (f *configFile) of(o *option, command string) *configEntry {
	for _, key := range o.keysIn(command) {
		for i := range f.entries {
			if f.entries[i].key == key {
				return &f.entries[i]
			}
		}
	}
	return nil
}

// check refuses keys that no option has, and values that no option of the name takes.
func (f *configFile) check() error {
	var errs []error
	for i := range f.entries {
		e := &f.entries[i]
		meant := f.table.meantBy(e.key)
		if len(meant) == 0 {
			errs = append(errs, fmt.Errorf("%s: unknown setting %q%s; see xopt config show", e.place, e.key,
				f.table.meant(e.key)))
			continue
		}
		var failed error
		for _, o := range meant {
			v, err := newValue(o)
			if err == nil {
				err = v.take(e.values, e.place)
			}
			if failed = err; err == nil {
				break
			}
		}
		errs = append(errs, failed)
	}
	return errors.Join(errs...)
}
