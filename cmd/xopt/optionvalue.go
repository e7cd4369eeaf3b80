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

// value is what an option is set to; it is the flag's pflag.Value, too.
type value struct {
	option *option
	to     any
	from   string // where it was taken from: "default", "flag", a variable, or a line of a file
	given  bool   // it was set: what is repeated adds to it
}

// fromDefault and fromFlag are the origins of values that no file and no variable gives.
const (
	fromDefault = "default"
	fromFlag    = "flag"
)

// newValue makes the value of an option with its default.
func newValue(o *option, s *settings) (*value, error) {
	v := &value{option: o, to: o.to(s), from: fromDefault}
	if o.usual == "" {
		return v, nil
	}
	if err := v.parse(o.usual); err != nil {
		return nil, fmt.Errorf("the default of --%s: %w", o.name, err)
	}
	return v, nil
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
	if v == nil || v.to == nil {
		return "" // pflag asks for the zero value
	}
	switch to := v.to.(type) {
	case *bool:
		return strconv.FormatBool(*to)
	case *int:
		return strconv.Itoa(*to)
	case *uint64:
		return strconv.FormatUint(*to, 10)
	case *float64:
		return fmt.Sprint(*to)
	case *time.Duration:
		return to.String()
	case *string:
		return *to
	case *[]string:
		return strings.Join(*to, v.separator())
	}
	return ""
}

// separator stands between the items of a list.
func (v *value) separator() string {
	if v.option.kind.repeatable() {
		return " "
	}
	return ","
}

// items are the values to be given as flags, one after the other.
func (v *value) items() []string {
	if to, ok := v.to.(*[]string); ok && v.option.kind.repeatable() {
		return *to
	}
	return []string{v.String()}
}

// Set reads text and checks it.
func (v *value) Set(text string) error {
	if err := v.parse(text); err != nil {
		return err
	}
	v.given = true
	return v.valid(text)
}

// wantError is what a value should have been.
type wantError struct{ value, want string }

func (e *wantError) Error() string { return fmt.Sprintf("is %q, want %s", e.value, e.want) }

func (v *value) parse(text string) (err error) {
	defer func() {
		if err != nil {
			err = &wantError{text, v.option.want()}
		}
	}()
	switch to := v.to.(type) {
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int:
		*to, err = strconv.Atoi(text)
	case *uint64:
		*to, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		*to, err = time.ParseDuration(text)
	case *string:
		*to = text
	case *[]string:
		v.setTexts(to, text)
	default:
		err = errors.New("no such type")
	}
	return err
}

// setTexts sets a list, or adds to it what is given again.
func (v *value) setTexts(to *[]string, text string) {
	if !v.option.kind.repeatable() {
		*to = words(text)
		return
	}
	if !v.given {
		*to = nil
	}
	*to = append(slices.Clip(*to), text)
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
		if list, ok := v.to.(*[]string); ok {
			given = *list
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
	err := o.check(v.to)
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
	usual, err := newValue(v.option, new(settings))
	return err == nil && usual.String() == v.String()
}
