package options

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/internal/fault"
	"xopt/internal/units"
)

// Kind is the type of an option's values.
type Kind uint8

const (
	Switch   Kind = iota // on or off
	Count                // an integer, 0 or more
	Number               // an integer
	Real                 // a number
	Duration             // a time in Go's syntax, such as 1h30m
	Text                 // any text
	Size                 // a size with a unit, such as 64KiB
	Rate                 // a rate with a unit, such as 40MB/s
	Time                 // a time with a unit, such as 3ms
	File                 // a file name
	Folder               // a folder name
	Texts                // texts, one per use of the flag
	Files                // files, one per use of the flag
	Words                // comma-separated words
)

// kindRow describes a kind: its placeholder in --help, and a description of its values.
type kindRow struct{ word, want string }

func (k Kind) row() kindRow {
	return [...]kindRow{
		Switch:   {"", "true or false"},
		Count:    {"NUMBER", "a whole number, 0 or more"},
		Number:   {"NUMBER", "a whole number"},
		Real:     {"NUMBER", "a number"},
		Duration: {"TIME", "a time such as 10s, 2m or 1h30m"},
		Text:     {"TEXT", "a text"},
		Size:     {"SIZE", "a size such as 64KiB"},
		Rate:     {"RATE", "a rate such as 40MB/s"},
		Time:     {"TIME", "a time such as 3ms"},
		File:     {"FILE", "the name of a file"},
		Folder:   {"FOLDER", "the name of a folder"},
		Texts:    {"TEXT", "texts"},
		Files:    {"FILE", "names of files"},
		Words:    {"WORDS", "words separated by commas"},
	}[k]
}

// repeatable reports whether users can repeat a flag of this kind.
func (k Kind) repeatable() bool { return k == Texts || k == Files }

// IsList reports whether a value of the kind is a list.
func (k Kind) IsList() bool { return k.repeatable() || k == Words }

// Value is the current value of an option. It implements pflag.Value.
type Value struct {
	Option *Option
	now    any    // a bool, int, uint64, float64, time.Duration, string or []string
	Origin string // "default", "flag", the name of a variable, or a line of a file
	given  bool   // already set: Set adds further values
	inUse  bool   // stored in the field that the option points to
}

// OriginDefault and OriginFlag are the origins of values from neither a file nor a variable.
const (
	OriginDefault = "default"
	OriginFlag    = "flag"
)

// NewValue returns the value of an option, set to the default.
func NewValue(o *Option) (*Value, error) {
	v := &Value{Option: o, Origin: OriginDefault, now: o.Kind.zero()}
	if o.Default == "" {
		return v, nil
	}
	var err error
	if v.now, err = o.Kind.parse(o.Default); err != nil {
		return nil, fmt.Errorf("the default of --%s: %w", o.Name, err)
	}
	return v, nil
}

// use stores the value in the field of its option, now and after each change.
func (v *Value) use() error {
	v.inUse = true
	ok := false
	switch to := v.Option.To.(type) {
	case *bool:
		*to, ok = v.now.(bool)
	case *int:
		*to, ok = v.now.(int)
	case *uint64:
		*to, ok = v.now.(uint64)
	case *float64:
		*to, ok = v.now.(float64)
	case *time.Duration:
		*to, ok = v.now.(time.Duration)
	case *string:
		*to, ok = v.now.(string)
	case *[]string:
		*to, ok = v.now.([]string)
	}
	if !ok {
		return fmt.Errorf("option --%s has type %T, and cannot be stored in a %T", v.Option.Name, v.now, v.Option.To)
	}
	return nil
}

func (v *Value) Type() string {
	if v.Option.Kind == Switch {
		return "bool"
	}
	return v.Option.Placeholder()
}

// Placeholder returns the placeholder of the value in --help.
func (o *Option) Placeholder() string {
	if o.Metavar != "" {
		return o.Metavar
	}
	return o.Kind.row().word
}

// String returns the value as text that Set accepts.
func (v *Value) String() string {
	if v == nil || v.now == nil {
		return "" // pflag prints the zero value
	}
	if list, ok := v.now.([]string); ok {
		if v.Option.Kind.repeatable() {
			return strings.Join(list, " ")
		}
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v.now)
}

// Items lists the arguments of the flags that set the value.
func (v *Value) Items() []string {
	if list, ok := v.now.([]string); ok && v.Option.Kind.repeatable() {
		return list
	}
	return []string{v.String()}
}

// Set parses and checks text.
func (v *Value) Set(text string) error {
	now, err := v.Option.Kind.parse(text)
	if err != nil {
		return &wantError{text, v.Option.want()}
	}
	if old, ok := v.now.([]string); ok && v.given && v.Option.Kind.repeatable() {
		now = append(slices.Clip(old), text)
	}
	v.now, v.given = now, true
	if err := v.Validate(text); err != nil || !v.inUse {
		return err
	}
	return v.use()
}

// wantError reports an invalid value and the expected values.
type wantError struct{ value, want string }

func (e *wantError) Error() string { return fmt.Sprintf("is %q, expected %s", e.value, e.want) }

// zero returns the value of an option that has no default.
func (k Kind) zero() any {
	switch {
	case k.IsList():
		return []string(nil)
	case k > Duration:
		return ""
	}
	return [...]any{Switch: false, Count: uint64(0), Number: 0, Real: 0.0,
		Duration: time.Duration(0)}[k]
}

// parse parses one value.
func (k Kind) parse(text string) (any, error) {
	switch k {
	case Switch:
		return strconv.ParseBool(text)
	case Count:
		return strconv.ParseUint(text, 10, 64)
	case Number:
		return strconv.Atoi(text)
	case Real:
		return strconv.ParseFloat(text, 64)
	case Duration:
		return time.ParseDuration(text)
	case Texts, Files:
		return []string{text}, nil
	case Words:
		return SplitWords(text), nil
	}
	return text, nil
}

// SplitWords splits text at commas.
func SplitWords(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// want describes valid values.
func (o *Option) want() string {
	switch {
	case len(o.Values) > 0 && o.Kind == Words:
		return "some of " + strings.Join(o.Values, ", ") + ", separated by commas"
	case len(o.Values) > 0 && o.Check == nil:
		last := len(o.Values) - 1
		return strings.Join(o.Values[:last], ", ") + " or " + o.Values[last]
	}
	return o.Kind.row().want
}

// Validate checks the unit and the word of a parsed value and calls the check of the option. Empty text means that the
// option is not set.
func (v *Value) Validate(text string) error {
	o := v.Option
	if text == "" && !o.Kind.IsList() {
		return nil
	}
	if err := o.readable(text); err != nil {
		return err
	}
	if o.Check == nil && len(o.Values) > 0 {
		given := []string{text}
		if list, ok := v.now.([]string); ok {
			given = list
		}
		for _, word := range given {
			if !slices.Contains(o.Values, word) {
				return &wantError{text, o.want()}
			}
		}
	}
	if o.Check == nil {
		return nil
	}
	err := o.Check(v.now)
	if w := (*wantError)(nil); errors.As(err, &w) {
		return &wantError{text, w.want}
	}
	return err
}

// readable checks that text is a positive value with a unit of the option's kind.
func (o *Option) readable(text string) error {
	parse := map[Kind]func(string) (float64, error){Size: units.ParseSize, Rate: units.ParseRate,
		Time: units.ParseTime}[o.Kind]
	if parse == nil {
		return nil
	}
	x, err := parse(text)
	if err == nil && !(x > 0) {
		err = &wantError{text, "more than 0"}
	}
	return err
}

// ValueError adds to an error the flag, variable or line that set the value.
func ValueError(name string, err error) error {
	if w := (*wantError)(nil); errors.As(err, &w) {
		return fault.WrongOptionValue.Errorf("%s %w", name, w)
	}
	if fault.Of(err) == "" {
		return fault.WrongOptionValue.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// IsDefault reports whether the value equals the default of its option.
func (v *Value) IsDefault() bool {
	usual, err := NewValue(v.Option)
	return err == nil && usual.String() == v.String()
}
