package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/internal/units"
)

// kind is what the values of an option are.
type kind uint8

const (
	kindSwitch   kind = iota // on or off
	kindCount                // a whole number, 0 or more
	kindNumber               // a whole number
	kindReal                 // a number
	kindDuration             // a time in Go's writing, such as 1h30m
	kindText                 // any text
	kindSize                 // a size with its unit, such as 64KiB
	kindRate                 // a rate with its unit, such as 40MB/s
	kindTime                 // a time with its unit, such as 3ms
	kindFile                 // the name of a file
	kindFolder               // the name of a folder
	kindTexts                // texts, one each time that the flag is given
	kindFiles                // files, likewise
	kindWords                // words with commas between
)

// kindRow describes a kind: what stands for a value in --help, and what a value must be.
type kindRow struct{ word, want string }

func (k kind) row() kindRow {
	return [...]kindRow{
		kindSwitch:   {"", "true or false"},
		kindCount:    {"NUMBER", "a whole number, 0 or more"},
		kindNumber:   {"NUMBER", "a whole number"},
		kindReal:     {"NUMBER", "a number"},
		kindDuration: {"TIME", "a time such as 10s, 2m or 1h30m"},
		kindText:     {"TEXT", "a text"},
		kindSize:     {"SIZE", "a size such as 64KiB"},
		kindRate:     {"RATE", "a rate such as 40MB/s"},
		kindTime:     {"TIME", "a time such as 3ms"},
		kindFile:     {"FILE", "the name of a file"},
		kindFolder:   {"FOLDER", "the name of a folder"},
		kindTexts:    {"TEXT", "texts"},
		kindFiles:    {"FILE", "names of files"},
		kindWords:    {"WORDS", "words with commas between"},
	}[k]
}

// repeatable reports whether a flag of the kind can be given several times.
func (k kind) repeatable() bool { return k == kindTexts || k == kindFiles }

// list reports whether a value of the kind is a list.
func (k kind) list() bool { return k.repeatable() || k == kindWords }

// value is the setting of an option, and the pflag.Value of its flag.
type value struct {
	option *option
	now    any    // a bool, int, uint64, float64, time.Duration, string or []string
	from   string // its origin: "default", "flag", a variable, or a line of a file
	given  bool   // it was set: what is repeated adds to it
	inUse  bool   // it is stored where the option points to
}

// fromDefault and fromFlag are the origins of values that no file and no variable gives.
const (
	fromDefault = "default"
	fromFlag    = "flag"
)

// newValue makes the value of an option with its default.
func newValue(o *option) (*value, error) {
	v := &value{option: o, from: fromDefault, now: o.kind.zero()}
	if o.usual == "" {
		return v, nil
	}
	var err error
	if v.now, err = o.kind.parse(o.usual); err != nil {
		return nil, fmt.Errorf("the default of --%s: %w", o.name, err)
	}
	return v, nil
}

// use stores the value where its option points to, from now on whenever it is set.
func (v *value) use() error {
	v.inUse = true
	ok := false
	switch to := v.option.to.(type) {
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
		return fmt.Errorf("option --%s is a %T, and cannot be stored in a %T", v.option.name, v.now, v.option.to)
	}
	return nil
}

// Type is pflag's name of the value's type: what stands for it in --help.
func (v *value) Type() string {
	if v.option.kind == kindSwitch {
		return "bool"
	}
	return v.option.placeholder()
}

// placeholder is what stands for a value in --help.
func (o *option) placeholder() string {
	if o.word != "" {
		return o.word
	}
	return o.kind.row().word
}

// String is the value as text that Set reads.
func (v *value) String() string {
	if v == nil || v.now == nil {
		return "" // pflag asks for the zero value
	}
	if list, ok := v.now.([]string); ok {
		if v.option.kind.repeatable() {
			return strings.Join(list, " ")
		}
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v.now)
}

// items are the values to be given as flags, one after the other.
func (v *value) items() []string {
	if list, ok := v.now.([]string); ok && v.option.kind.repeatable() {
		return list
	}
	return []string{v.String()}
}

// Set reads text and checks it.
func (v *value) Set(text string) error {
	now, err := v.option.kind.parse(text)
	if err != nil {
		return &wantError{text, v.option.want()}
	}
	if old, ok := v.now.([]string); ok && v.given && v.option.kind.repeatable() {
		now = append(slices.Clip(old), text)
	}
	v.now, v.given = now, true
	if err := v.valid(text); err != nil || !v.inUse {
		return err
	}
	return v.use()
}

// wantError is what a value should have been.
type wantError struct{ value, want string }

func (e *wantError) Error() string { return fmt.Sprintf("is %q, want %s", e.value, e.want) }

// zero returns the value of an option of a kind that has no default.
func (k kind) zero() any {
	switch {
	case k.list():
		return []string(nil)
	case k > kindDuration:
		return ""
	}
	return [...]any{kindSwitch: false, kindCount: uint64(0), kindNumber: 0, kindReal: 0.0,
		kindDuration: time.Duration(0)}[k]
}

// parse reads one value of a kind.
func (k kind) parse(text string) (any, error) {
	switch k {
	case kindSwitch:
		return strconv.ParseBool(text)
	case kindCount:
		return strconv.ParseUint(text, 10, 64)
	case kindNumber:
		return strconv.Atoi(text)
	case kindReal:
		return strconv.ParseFloat(text, 64)
	case kindDuration:
		return time.ParseDuration(text)
	case kindTexts, kindFiles:
		return []string{text}, nil
	case kindWords:
		return words(text), nil
	}
	return text, nil
}

// words cuts a text at its commas.
func words(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// want says what a value must be.
func (o *option) want() string {
	switch {
	case len(o.values) > 0 && o.kind == kindWords:
		return "some of " + strings.Join(o.values, ", ") + ", with commas between"
	case len(o.values) > 0 && o.check == nil:
		last := len(o.values) - 1
		return strings.Join(o.values[:last], ", ") + " or " + o.values[last]
	}
	return o.kind.row().want
}

// valid checks a value that was read: its unit, its words, and what the option's own check says.
// What is empty is "not given".
func (v *value) valid(text string) error {
	o := v.option
	if text == "" && !o.kind.list() {
		return nil
	}
	if err := o.readable(text); err != nil {
		return err
	}
	if o.check == nil && len(o.values) > 0 {
		given := []string{text}
		if list, ok := v.now.([]string); ok {
			given = list
		}
		for _, word := range given {
			if !slices.Contains(o.values, word) {
				return &wantError{text, o.want()}
			}
		}
	}
	if o.check == nil {
		return nil
	}
	err := o.check(v.now)
	if w := (*wantError)(nil); errors.As(err, &w) {
		return &wantError{text, w.want}
	}
	return err
}

// readable says what is wrong with a text that has no unit of the option's kind, or is not above 0.
func (o *option) readable(text string) error {
	parse := map[kind]func(string) (float64, error){kindSize: units.ParseSize, kindRate: units.ParseRate,
		kindTime: units.ParseTime}[o.kind]
	if parse == nil {
		return nil
	}
	x, err := parse(text)
	if err == nil && !(x > 0) {
		err = &wantError{text, "more than 0"}
	}
	return err
}

// wrong is the error of a value: what is called so is, or has, what is wrong with it.
func wrong(name string, err error) error {
	if w := (*wantError)(nil); errors.As(err, &w) {
		return fmt.Errorf("%s %w", name, w)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// usual reports whether a value is the default of its option.
func (v *value) usual() bool {
	usual, err := newValue(v.option)
	return err == nil && usual.String() == v.String()
}
