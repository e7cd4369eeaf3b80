package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// envPrefix begins the names of environment variables.
const envPrefix = "XOPT"

// configOption names the file that settings are read from.
const configOption = "config"

// inForce are the options of the command that runs, by name; those of config show by key.
type inForce map[string]*value

// given reports whether an option has been set, by whatever.
func (f inForce) given(name string) bool { return f[name] != nil && f[name].from != fromDefault }

// declareAll makes the flags of a command and of those below it.
func (a *app) declareAll(c *cobra.Command) error {
	if c.HasParent() {
		if err := a.declare(c, commandOf(c)); err != nil {
			return err
		}
	}
	for _, sub := range c.Commands() {
		if err := a.declareAll(sub); err != nil {
			return err
		}
	}
	return nil
}

// declare makes the flags of a command out of its options.
func (a *app) declare(c *cobra.Command, command string) error {
	list := a.table.of(command)
	if command == showPrefix {
		list = slices.DeleteFunc(a.table.distinct(), func(o *option) bool { return o.is(ofCommand) })
	}
	for _, o := range list {
		if o.in == nil {
			continue // declared once, at the root
		}
		if err := declareFlag(c.Flags(), o); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		if err := completeOption(c, o); err != nil {
			return fmt.Errorf("setting up completion of --%s: %w", o.name, err)
		}
	}
	c.Flags().SortFlags = false // the order of the table
	return nil
}

// declareFlag makes the flag of an option.
func declareFlag(flags *pflag.FlagSet, o *option) error {
	v, err := newValue(o)
	if err != nil {
		return err
	}
	help := o.help
	if o.kind.repeatable() {
		help += " (repeatable)"
	}
	f := flags.VarPF(v, o.name, o.short, help)
	if o.usual == "0s" {
		f.DefValue = "0" // no default to print
	}
	if o.kind == kindSwitch {
		f.NoOptDefVal = "true"
	}
	return nil
}

// load sets the options of a command to what its flags, the environment, the file and the defaults say, and stores them
// in the fields that they point to.
func (a *app) load(c *cobra.Command) error {
	command, every := commandOf(c), everyOption(c)
	list := a.table.of(command)
	if every {
		list = a.table.distinct()
	}
	l, err := a.layersOf(c, list)
	if err != nil {
		return &usageError{err}
	}
	a.inForce = make(inForce)
	var errs []error
	for _, o := range list {
		v, err := valueOf(c, o)
		if err == nil {
			err = l.settle(v)
		}
		if err == nil && (!every || o.in == nil) {
			err = v.use()
		}
		errs = append(errs, err)
		name := o.name
		if every {
			name = o.key()
		}
		a.inForce[name] = v
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	if a.settings.Quiet {
		a.silence()
	}
	if err := a.useCache(c); err != nil {
		return err
	}
	if a.sealed {
		return nil
	}
	for _, n := range a.table.unknownEnvironment(os.Environ()) {
		a.note("note: %s", n)
	}
	return nil
}

// valueOf is the value behind the flag of an option, or one of its own where there is no flag.
func valueOf(c *cobra.Command, o *option) (*value, error) {
	if f := c.Flags().Lookup(o.name); f != nil && !(o.is(ofCommand) && everyOption(c)) {
		if v, ok := f.Value.(*value); ok {
			if f.Changed {
				v.from = fromFlag
			}
			return v, nil
		}
	}
	return newValue(o)
}

// layers are the origins of the options of a command: viper finds the one that counts.
type layers struct {
	*viper.Viper
	file    *configFile
	command string
}

// keyDelimiter separates nothing: the keys of options contain dots.
const keyDelimiter = "\x00"

// layersOf prepares the layers of a command. A sealed program has flags and defaults only.
func (a *app) layersOf(c *cobra.Command, list table) (*layers, error) {
	l := &layers{viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter)), &configFile{}, commandOf(c)}
	if a.sealed {
		return l, nil
	}
	if a.table.hasOwn(l.command) || everyOption(c) {
		var err error
		if l.file, err = a.config(c); err == nil {
			err = l.file.check()
		}
		if err != nil {
			return nil, err
		}
	}
	inFile := make(map[string]any)
	for _, o := range list {
		if err := l.BindEnv(o.key(), o.variable()); err != nil {
			return nil, err
		}
		if e := l.file.of(o, l.command); e != nil && !o.is(notInFile) {
			inFile[o.key()] = e.values
		}
	}
	return l, l.MergeConfigMap(inFile)
}

// settle sets an option to the value of the first layer that has one, below the flag.
func (l *layers) settle(v *value) error {
	key := v.option.key()
	if v.from == fromFlag || !l.IsSet(key) {
		return nil
	}
	if list, ok := l.Get(key).([]string); ok {
		e := l.file.of(v.option, l.command)
		if l.file.ofProject {
			if err := v.option.checkProject(e); err != nil {
				return err
			}
		}
		return v.take(list, e.place)
	}
	texts := []string{l.GetString(key)}
	if v.option.kind.repeatable() { // figures contain commas
		texts = l.GetStringSlice(key)
	}
	return v.take(texts, v.option.variable())
}

// config reads the file that --config or XOPT_CONFIG name, or the one in the working folder.
func (a *app) config(c *cobra.Command) (*configFile, error) {
	path := os.Getenv(variable(configOption))
	if f := c.Flags().Lookup(configOption); f != nil && f.Changed {
		path = f.Value.String()
	}
	if path != "" {
		return readConfig(path, true, a.table)
	}
	if err := checkOwner(configName); err != nil {
		return nil, err
	}
	f, err := readConfig(configName, false, a.table)
	if err == nil {
		f.ofProject = true
	}
	return f, err
}

// take sets a value to what an origin says.
func (v *value) take(texts []string, from string) error {
	name := v.option.key()
	if strings.Contains(from, ":") {
		name = from + ": " + name
	} else {
		name = from
	}
	v.given = false
	if v.option.kind.list() && !v.option.kind.repeatable() {
		texts = []string{strings.Join(texts, ",")}
	}
	if !v.option.kind.list() && len(texts) != 1 {
		return fmt.Errorf("%s is a list, want %s", name, v.option.want())
	}
	if len(texts) == 0 {
		v.now = []string(nil)
	}
	for _, text := range texts {
		if err := v.Set(text); err != nil {
			return wrong(name, err)
		}
	}
	v.from = from
	if v.inUse {
		return v.use()
	}
	return nil
}

// showPrefix begins the paths of the commands that show the options of others.
const showPrefix = "config show"

// commandOf is the command whose options a command has: config show search has those of search.
func commandOf(c *cobra.Command) string {
	path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	if rest, ok := strings.CutPrefix(path, showPrefix+" "); ok {
		return rest
	}
	return path
}

// everyOption reports whether a command is about the options of all commands: config show.
func everyOption(c *cobra.Command) bool { return commandOf(c) == showPrefix }
