package options

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/fault"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// envPrefix is the prefix of environment variables.
const envPrefix = "XOPT"

// ConfigOption is the option that names the settings file.
const ConfigOption = "config"

// Layers is a set of origins of settings.
type Layers uint8

const (
	AllLayers Layers = iota // flags, environment, settings file, defaults
	FlagsOnly               // flags and defaults
)

// InForce contains the values of the running command's options by name, or by key for config show.
type InForce map[string]*Value

// Given reports whether a flag, a variable or a file has set an option.
func (f InForce) Given(name string) bool { return f[name] != nil && f[name].Origin != OriginDefault }

// IsFlag reports whether a flag has set an option.
func (f InForce) IsFlag(name string) bool { return f[name] != nil && f[name].Origin == OriginFlag }

// Exclude returns an error about the first named option that differs from its default. It ignores global options. why
// is the reason that the option does not apply.
func (f InForce) Exclude(why string, names ...string) error {
	for _, name := range names {
		if v := f[name]; v != nil && v.Option.Commands != nil && !v.IsDefault() {
			return faults.OptionsConflict.Usagef("%s; leave out --%s", why, name)
		}
	}
	return nil
}

// Declare adds the flags of all options to the commands of a program. complete sets up shell completion for an option.
func (t Table) Declare(root *cobra.Command, complete func(*cobra.Command, *Option) error) error {
	for _, o := range t {
		if o.Commands == nil {
			if err := declareFlag(root.PersistentFlags(), o); err != nil {
				return err
			}
		}
	}
	root.PersistentFlags().VarPF(&helpAll{}, helpAllName, "", "show the explanation, all examples and all options").
		NoOptDefVal = "true"
	return t.declareBelow(root, complete)
}

// declareBelow adds the flags of the subcommands of a command.
func (t Table) declareBelow(c *cobra.Command, complete func(*cobra.Command, *Option) error) error {
	for _, sub := range c.Commands() {
		command := CommandOf(sub)
		list := t.ForCommand(command)
		if command == ShowPrefix {
			list = slices.DeleteFunc(t.Distinct(), func(o *Option) bool { return o.Is(PerCommand) })
		}
		for _, o := range list {
			if o.Commands == nil {
				continue // the root already has this flag
			}
			if err := declareFlag(sub.Flags(), o); err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
			if err := complete(sub, o); err != nil {
				return fmt.Errorf("setting up completion of --%s: %w", o.Name, err)
			}
		}
		sub.Flags().SortFlags = false // keep the order of the table
		if err := t.declareBelow(sub, complete); err != nil {
			return err
		}
	}
	return nil
}

func declareFlag(flags *pflag.FlagSet, o *Option) error {
	v, err := NewValue(o)
	if err != nil {
		return err
	}
	f := flags.VarPF(v, o.Name, o.Short, o.line())
	if o.Default == "0s" {
		f.DefValue = "0" // prevents cobra from printing a default
	}
	if o.Kind == Switch {
		f.NoOptDefVal = "true"
	}
	return nil
}

// Load sets the options of a command and stores them in the fields that they point to. Flags have precedence over
// environment variables, the settings file and the defaults, in this order.
func (t Table) Load(c *cobra.Command, from Layers) (InForce, error) {
	command, every := CommandOf(c), isEvery(c)
	list := t.ForCommand(command)
	if every {
		list = t.Distinct()
	}
	l, err := t.layersOf(c, list, from)
	if err != nil {
		return nil, err
	}
	values := make(InForce)
	var errs []error
	for _, o := range list {
		v, err := valueOf(c, o)
		if err == nil {
			err = l.settle(v)
		}
		if err == nil && (!every || o.Commands == nil) {
			err = v.use()
		}
		errs = append(errs, err)
		name := o.Name
		if every {
			name = o.Key()
		}
		values[name] = v
	}
	return values, errors.Join(errs...)
}

// valueOf returns the value behind the flag of an option, or a new value if the command has no such flag.
func valueOf(c *cobra.Command, o *Option) (*Value, error) {
	if f := c.Flags().Lookup(o.Name); f != nil && !(o.Is(PerCommand) && isEvery(c)) {
		if v, ok := f.Value.(*Value); ok {
			if f.Changed {
				v.Origin = OriginFlag
			}
			return v, nil
		}
	}
	return NewValue(o)
}

// layers contains the settings of a command by origin. Viper resolves the precedence.
type layers struct {
	*viper.Viper
	file    *Settings
	command string
}

// keyDelimiter is a character that never occurs in keys. The keys of options contain dots.
const keyDelimiter = "\x00"

// layersOf prepares the layers of a command.
func (t Table) layersOf(c *cobra.Command, list Table, from Layers) (*layers, error) {
	l := &layers{viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter)), &Settings{}, CommandOf(c)}
	if from == FlagsOnly {
		return l, nil
	}
	if t.HasOwn(l.command) || isEvery(c) {
		var err error
		if l.file, err = t.config(c); err == nil {
			err = l.file.check()
		}
		if err != nil {
			return nil, err
		}
	}
	inFile := make(map[string]any)
	for _, o := range list {
		if err := l.BindEnv(o.Key(), o.Variable()); err != nil {
			return nil, err
		}
		if e := l.file.of(o, l.command); e != nil && !o.Is(NotInFile) {
			inFile[o.Key()] = e.Values
		}
	}
	return l, l.MergeConfigMap(inFile)
}

// settle sets an option without a flag to the value in the first layer that has a value.
func (l *layers) settle(v *Value) error {
	key := v.Option.Key()
	if v.Origin == OriginFlag || !l.IsSet(key) {
		return nil
	}
	if list, ok := l.Get(key).([]string); ok {
		e := l.file.of(v.Option, l.command)
		if l.file.ofProject {
			if err := v.Option.checkProject(e); err != nil {
				return err
			}
		}
		return v.Assign(list, e.Place)
	}
	texts := []string{l.GetString(key)}
	if v.Option.Kind.repeatable() { // a single figure may contain commas
		texts = l.GetStringSlice(key)
	}
	return v.Assign(texts, v.Option.Variable())
}

// config reads the settings file that --config or XOPT_CONFIG names, else xopt.yaml in the working folder.
func (t Table) config(c *cobra.Command) (*Settings, error) {
	path := os.Getenv(variable(ConfigOption))
	if f := c.Flags().Lookup(ConfigOption); f != nil && f.Changed {
		path = f.Value.String()
	}
	if path != "" {
		return t.readSettings(path)
	}
	if err := checkOwner(FileName); err != nil {
		return nil, err
	}
	f, err := t.readSettings(FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return &Settings{table: t}, nil
	}
	if err == nil {
		f.ofProject = true
	}
	return f, err
}

// Assign parses texts from an origin, such as a variable or a line of a file, into the value.
func (v *Value) Assign(texts []string, from string) error {
	name := v.Option.Key()
	if strings.Contains(from, ":") {
		name = from + ": " + name
	} else {
		name = from
	}
	v.given = false
	if v.Option.Kind.IsList() && !v.Option.Kind.repeatable() {
		texts = []string{strings.Join(texts, ",")}
	}
	if !v.Option.Kind.IsList() && len(texts) != 1 {
		return fault.WrongOptionValue.Errorf("%s is a list, expected %s", name, v.Option.want())
	}
	if len(texts) == 0 {
		v.now = []string(nil)
	}
	for _, text := range texts {
		if err := v.Set(text); err != nil {
			return ValueError(name, err)
		}
	}
	v.Origin = from
	if v.inUse {
		return v.use()
	}
	return nil
}

// ShowPrefix is the path prefix of the commands that print the settings of another command.
const ShowPrefix = "config show"

// CommandOf returns the path of the command whose options a command shows, such as "search" for config show search.
func CommandOf(c *cobra.Command) string {
	path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	if rest, ok := strings.CutPrefix(path, ShowPrefix+" "); ok {
		return rest
	}
	return path
}

// isEvery reports whether a command is config show, which has the options of all commands.
func isEvery(c *cobra.Command) bool { return CommandOf(c) == ShowPrefix }

// Reset sets the value to its default.
func (v *Value) Reset() error {
	usual, err := NewValue(v.Option)
	if err == nil {
		v.Origin, v.now, v.given = usual.Origin, usual.now, false
	}
	return err
}

// Args returns the command line arguments that set the value.
func (v *Value) Args() []string {
	name := "--" + v.Option.Name
	if v.Option.Kind == Switch {
		if v.now == true {
			return []string{name}
		}
		return []string{name + "=false"}
	}
	var line []string
	for _, x := range v.Items() {
		line = append(line, name, x)
	}
	return line
}

// Off reports whether the value is false or empty.
func (v *Value) Off() bool {
	text := v.String()
	return text == "" || v.Option.Kind == Switch && text == "false"
}

// Flags returns the arguments for all options that have the given trait and differ from their defaults, in the order of
// the table.
func (t Table) Flags(in InForce, p Traits) []string {
	var flags []string
	seen := make(map[string]bool)
	for _, o := range t {
		v := in[o.Name]
		if !o.Is(p) || v == nil || seen[o.Name] || v.IsDefault() {
			continue
		}
		seen[o.Name] = true
		flags = append(flags, v.Args()...)
	}
	return flags
}

// GlobalFlags returns the global flags of a call.
func (t Table) GlobalFlags(in InForce) []string {
	var flags []string
	for _, o := range t {
		if v := in[o.Name]; o.Commands == nil && v != nil && v.Origin == OriginFlag {
			flags = append(flags, v.Args()...)
		}
	}
	return flags
}
