// Package jsonfile reads the program's own JSON files, profiles and results: whole,
// of a known schema, without a field that is not known, and with one clear error
// otherwise.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Format describes a kind of file. Every file has a field "schema", a whole
// number that rises when a reader of the version before could misunderstand it.
type Format struct {
	What   string // "result file", "profile"
	Schema int    // the version that is read
	Tool   string // what the field "tool" must hold; "" when there is none
}

// maxBytes is how large a file may be.
const maxBytes = 768 << 20

// Read reads one file into out. name is used in errors.
func (f Format) Read(name string, r io.Reader, out any) error {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w", name, err)
	case len(data) == 0:
		return fmt.Errorf("%s is empty", name)
	case len(data) > maxBytes:
		return fmt.Errorf("%s is larger than %d MiB, the most that is read of a %s", name, maxBytes>>20, f.What)
	case !beginsAsJSON(data):
		return fmt.Errorf("%s is not a %s (it does not begin as JSON)", name, f.What)
	}
	var head struct {
		Schema *int   `json:"schema"`
		Tool   string `json:"tool"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%s is not a valid %s, it is cut off or was changed: %w; write it again with xopt", name,
			f.What, err)
	}
	switch {
	case head.Schema != nil && f.Tool == "" && head.Tool != "":
		return fmt.Errorf("%s is a result file of %s, not a %s", name, head.Tool, f.What)
	case head.Schema == nil || f.Tool != "" && head.Tool != f.Tool:
		return fmt.Errorf("%s is not a %s of xopt", name, f.What)
	case *head.Schema > f.Schema:
		return fmt.Errorf("%s has schema %d; this program reads up to %d: use a newer xopt", name, *head.Schema,
			f.Schema)
	case *head.Schema < f.Schema:
		return fmt.Errorf("%s has schema %d, which is no longer supported: create it again", name, *head.Schema)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return fmt.Errorf("%s is damaged: %w", name, err)
	}
	return nil
}

// beginsAsJSON reports whether a text begins with an object or a list.
func beginsAsJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}
