// Package fault assigns a stable identifier to each kind of error and finding. Users see these identifiers.
//
// The wording of a message may change at any time, but its identifier does not. Tests and programs that read JSON
// therefore compare identifiers. Each layer lists its identifiers in a package named faults.
package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// ID identifies one kind of error or finding, such as "unknown-resource".
type ID string

// Error is an error with an identifier.
type Error struct {
	ID  ID
	err error
}

// Error returns the message without its identifier.
func (e *Error) Error() string { return e.err.Error() }

// FaultID returns the identifier, for [Of].
func (e *Error) FaultID() ID { return e.ID }

// Unwrap returns the error that [ID.Errorf] formatted, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.err }

// Errorf returns an error with this identifier. format and args are as for fmt.Errorf.
func (id ID) Errorf(format string, args ...any) error { return &Error{id, fmt.Errorf(format, args...)} }

// Textf returns the text of a warning or note with this identifier, in the form of [Tagged]. format and args are as for
// fmt.Sprintf.
func (id ID) Textf(format string, args ...any) string {
	return Tagged(fmt.Sprintf(format, args...), id)
}

// Note is a warning, note or finding inside a result.
type Note struct {
	ID   ID     `json:"id,omitempty"`
	Text string `json:"text"`
}

// Notef returns a note with this identifier. format and args are as for fmt.Sprintf.
func (id ID) Notef(format string, args ...any) Note { return Note{id, fmt.Sprintf(format, args...)} }

// String returns the text with its identifier, in the form of [Tagged].
func (n Note) String() string { return Tagged(n.Text, n.ID) }

// UnmarshalJSON reads a note. It also accepts plain text, as in results of earlier versions.
func (n *Note) UnmarshalJSON(data []byte) error {
	*n = Note{}
	if bytes.HasPrefix(data, []byte{'"'}) {
		return json.Unmarshal(data, &n.Text)
	}
	type plain Note
	return json.Unmarshal(data, (*plain)(n))
}

// Texts returns the texts of notes without their identifiers.
func Texts(list []Note) []string {
	var texts []string
	for _, n := range list {
		texts = append(texts, n.Text)
	}
	return texts
}

// Of returns the identifier of the outermost error in the chain that has an identifier, or "". Error types with a fixed
// identifier have a method FaultID.
func Of(err error) ID {
	var e interface{ FaultID() ID }
	if errors.As(err, &e) {
		return e.FaultID()
	}
	return ""
}

// Text returns the message of an error with its identifier, in the form of [Tagged]. For joined errors, each message
// has its own identifier.
func Text(err error) string {
	if u, ok := err.(*UsageError); ok {
		err = u.err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		id := Of(err)
		if id == "" && errors.Is(err, fs.ErrNotExist) {
			id = NoFile
		}
		return Tagged(Plain(err), id)
	}
	var texts []string
	for _, e := range joined.Unwrap() {
		texts = append(texts, Text(e))
	}
	return strings.Join(texts, "\n")
}

// Plain returns the message of an error. For an error about a file, the message contains the path and the reason, but
// not the failed system call.
func Plain(err error) string {
	text := err.Error()
	var failed *fs.PathError
	if !errors.As(err, &failed) {
		return text
	}
	reason := failed.Err.Error()
	if errors.Is(failed, fs.ErrNotExist) {
		reason = "the file does not exist"
	}
	before, after, found := strings.Cut(text, failed.Error())
	if !found {
		return text
	}
	at := failed.Path + ": " // the message contains the path only once
	return strings.TrimSuffix(before, at) + at + reason + after
}

// Tagged returns a message with its identifier, if any, in brackets at the end of the first line. It moves a command at
// the end of the first line to a separate line, so that users can copy the command.
func Tagged(text string, id ID) string {
	first, rest, more := strings.Cut(text, "\n")
	first, command := CutCommand(first)
	if id != "" {
		first += " [" + string(id) + "]"
	}
	lines := []string{first}
	if command != "" {
		lines = append(lines, "    "+command)
	}
	if more {
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}

// CutCommand separates a command of xopt at the end of a line, after a colon, from the text before it. If parentheses,
// a comma or a semicolon follow the command, the command is part of the sentence and is not separated.
func CutCommand(line string) (text, command string) {
	at := strings.LastIndex(line, ": xopt ")
	if at < 0 {
		return line, ""
	}
	command = line[at+len(": "):]
	for _, more := range []string{"; ", ", ", " (", " | "} {
		if strings.Contains(command, more) {
			return line, ""
		}
	}
	if strings.Count(command, ")") > strings.Count(command, "(") {
		return line, ""
	}
	return line[:at+1], command
}

// UsageError is an error due to a mistake in a user's command or input file. A command that ends with such an error
// exits with code 2.
type UsageError struct{ err error }

// Error returns the message of the underlying error.
func (e *UsageError) Error() string { return e.err.Error() }

// Unwrap returns the underlying error.
func (e *UsageError) Unwrap() error { return e.err }

// Usage returns an error as a [UsageError]; nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// Usagef returns a [UsageError] with this identifier. format and args are as for fmt.Errorf.
func (id ID) Usagef(format string, args ...any) error { return &UsageError{id.Errorf(format, args...)} }

// WrongValue returns a [UsageError] about an invalid value of an option: the name of the option, the value, and a
// description of valid values with an example.
func WrongValue(option string, value any, want string, args ...any) error {
	if text, ok := value.(string); ok {
		value = strconv.Quote(text)
	}
	return WrongOptionValue.Usagef("--%s is %v, expected %s", option, value, fmt.Sprintf(want, args...))
}
