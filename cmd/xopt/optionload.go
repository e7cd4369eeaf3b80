package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix begins the names of environment variables.
const envPrefix = "XOPT"

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
	own := new(settings)
	a.settingsOf[c] = own
	list := a.table.of(command)
	if command == showPrefix {
		list = slices.DeleteFunc(a.table.distinct(), func(o *option) bool { return o.is(ofCommand) })
	}
	for _, o := range list {
		if o.in == nil {
			continue // declared once, at the root
		}
		if err := declareFlag(c.Flags(), o, own); err != nil {
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
func declareFlag(flags *pflag.FlagSet, o *option, s *settings) error {
	v, err := newValue(o, s)
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

// load puts together what the flags of a command, the environment and the file say, and checks it.
func (a *app) load(c *cobra.Command) error {
	command := commandOf(c)
	a.inForce = make(inForce)
	list := a.table.of(command)
	if everyOption(c) {
		list = a.table.distinct()
	}
	file := &configFile{}
	if !a.sealed && (a.table.hasOwn(command) || everyOption(c)) {
		var err error
		if file, err = a.config(); err == nil {
			err = file.check()
		}
		if err != nil {
			return &usageError{err}
		}
	}
	var errs []error
	for _, o := range list {
		v, err := a.valueOf(c, o)
		if err == nil && !a.sealed {
			err = v.settle(file, command)
		}
		errs = append(errs, err)
		name := o.name
		if everyOption(c) {
			name = o.key()
		}
		a.inForce[name] = v
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	if own := a.settingsOf[c]; own != nil {
		own.globals = a.settings.globals
		a.settings = *own
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
func (a *app) valueOf(c *cobra.Command, o *option) (*value, error) {
	if f := c.Flags().Lookup(o.name); f != nil && !(o.is(ofCommand) && everyOption(c)) {
		if v, ok := f.Value.(*value); ok {
			if f.Changed {
				v.from = fromFlag
			}
			return v, nil
		}
	}
	return newValue(o, new(settings))
}

// config reads the file that --config or XOPT_CONFIG name, or the one in the working folder.
func (a *app) config() (*configFile, error) {
	path := a.settings.Config
	if path == "" {
		path = os.Getenv(envPrefix + "_CONFIG")
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

// settle takes the value of an option from the environment, else from the file, where no flag
// gives it.
func (v *value) settle(file *configFile, command string) error {
	if v.from != fromDefault {
		return nil
	}
	o := v.option
	if text := os.Getenv(o.variable()); text != "" {
		texts := []string{text}
		if o.kind.repeatable() { // figures hold commas
			texts = strings.Fields(text)
		}
		return v.take(texts, o.variable())
	}
	if e := file.of(o, command); e != nil && !o.is(notInFile) {
		if file.ofProject {
			if err := o.checkProject(e); err != nil {
				return err
			}
		}
		return v.take(e.values, e.place)
	}
	return nil
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
	if v.option.kind.repeatable() && len(texts) == 0 {
		*v.to.(*[]string) = nil
	}
	for _, text := range texts {
		if err := v.Set(text); err != nil {
			return wrong(name, err)
		}
	}
	v.from = from
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
