// Package jsonfile reads xopt's own JSON files: profiles and results. It checks the schema, rejects incomplete files
// and unknown fields, and returns a single clear error.
package jsonfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Format describes a kind of file. Every file has an integer field "schema" with the version of its format. The version
// increases if a reader of the previous version could misinterpret the file.
type Format struct {
	What   string // such as "result file" or "profile"
	Schema int    // supported version
	Tool   string // required value of the field "tool"; "" for none
}

// maxBytes is the maximum size of a file in bytes.
const maxBytes = 768 << 20

// headBytes is the number of bytes at the start of a file that Read searches for the schema and the tool.
const headBytes = 4096

// head contains the fields that identify the kind of a file.
type head struct {
	Schema *int
	Tool   string
}

// Read decodes one file into out. It reads the file as a stream, because a result with 10,000 kernels has 200 MB. name
// is the file name for errors.
func (f Format) Read(name string, r io.Reader, out any) error {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	in := bufio.NewReaderSize(limited, 1<<16)
	start, err := in.Peek(headBytes)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("reading %s: %w", name, err)
	case len(start) == 0:
		return fmt.Errorf("%s is empty", name)
	case !beginsAsJSON(start):
		return fmt.Errorf("%s is not a %s (it does not start like JSON)", name, f.What)
	}
	h, isKnown := headOf(start)
	var from io.Reader = in
	if !isKnown { // the fields are missing, or occur later in the file
		data, err := io.ReadAll(in)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if err := json.Unmarshal(data, &h); err != nil {
			return f.invalid(name, limited, err)
		}
		from = bytes.NewReader(data)
	}
	if err := f.check(name, &h); err != nil {
		return err
	}
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	err = d.Decode(out)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = cmp.Or(more, errors.New("data follows its end"))
			return f.invalid(name, limited, err)
		}
		return nil
	}
	var syntax *json.SyntaxError
	if limited.N <= 0 || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) {
		return f.invalid(name, limited, err)
	}
	return fmt.Errorf("%s is damaged: %w", name, err)
}

// invalid returns the error for a file that is not JSON or is too large.
func (f Format) invalid(name string, in *io.LimitedReader, err error) error {
	if in.N <= 0 {
		return fmt.Errorf("%s is larger than %d MiB, the limit for a %s", name, maxBytes>>20, f.What)
	}
	return fmt.Errorf("%s is not a valid %s: %w (it may be truncated, edited, or of another version of xopt); "+
		"create it again", name, f.What, err)
}

// headOf returns the schema and the tool from the first fields of a file. It returns false if a field is not among the
// first fields.
func headOf(start []byte) (h head, isKnown bool) {
	d := json.NewDecoder(bytes.NewReader(start))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return h, false
	}
	for h.Schema == nil || h.Tool == "" {
		key, err := d.Token()
		if err != nil {
			return h, false
		}
		var to any = new(json.RawMessage)
		switch key {
		case "schema":
			to = &h.Schema
		case "tool":
			to = &h.Tool
		}
		if d.Decode(to) != nil {
			return h, false
		}
	}
	return h, true
}

// check returns an error for a file of another kind or schema.
func (f Format) check(name string, h *head) error {
	switch {
	case h.Schema != nil && f.Tool == "" && h.Tool != "":
		return fmt.Errorf("%s is a result file of %s, not a %s", name, h.Tool, f.What)
	case h.Schema == nil || f.Tool != "" && h.Tool != f.Tool:
		return fmt.Errorf("%s is not a %s of xopt", name, f.What)
	case *h.Schema > f.Schema:
		return fmt.Errorf("%s has schema %d; this xopt reads schemas up to %d: use a newer xopt", name, *h.Schema,
			f.Schema)
	case *h.Schema < f.Schema:
		return fmt.Errorf("%s has schema %d, which is no longer supported: create it again", name, *h.Schema)
	}
	return nil
}

// beginsAsJSON reports whether a text begins with a JSON object or array.
func beginsAsJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}
