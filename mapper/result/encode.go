package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// streamBytes is the size of the pieces in which a large result is written.
const streamBytes = 1 << 18

// encoder writes a value like encoding/json, but in pieces, so that the complete text is never in memory. Each type has
// one encoder, so that the tags of its fields are read once.
type encoder func(w *bufio.Writer, v reflect.Value) error

// encoders contains the encoder of each type written so far.
var encoders sync.Map

// encoderOf returns the encoder of a type. Types may contain pointers to themselves.
func encoderOf(t reflect.Type) encoder {
	if e, ok := encoders.Load(t); ok {
		return e.(encoder)
	}
	e := newEncoder(t)
	encoders.Store(t, e)
	return e
}

// later returns an encoder that refers to a type under construction.
func later(t reflect.Type) encoder {
	find := sync.OnceValue(func() encoder { return encoderOf(t) })
	return func(w *bufio.Writer, v reflect.Value) error { return find()(w, v) }
}

// newEncoder creates the encoder of a type. It uses encoding/json for rare kinds, and for types with their own JSON
// form.
func newEncoder(t reflect.Type) encoder {
	switch {
	case t == reflect.TypeFor[Number]():
		return encodeNumber
	case marshalsItself(t):
		return encodeOther
	}
	switch t.Kind() {
	case reflect.Pointer:
		pointed := later(t.Elem())
		return func(w *bufio.Writer, v reflect.Value) error {
			if v.IsNil() {
				return write(w, "null")
			}
			return pointed(w, v.Elem())
		}
	case reflect.Struct:
		return newStructEncoder(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return encodeOther
		}
		list := newListEncoder(t)
		return func(w *bufio.Writer, v reflect.Value) error {
			if v.IsNil() {
				return write(w, "null")
			}
			return list(w, v)
		}
	case reflect.Array:
		return newListEncoder(t)
	case reflect.String:
		return encodeString
	case reflect.Float64:
		return encodeFloat
	case reflect.Bool:
		return func(w *bufio.Writer, v reflect.Value) error {
			_, err := w.Write(strconv.AppendBool(w.AvailableBuffer(), v.Bool()))
			return err
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(w *bufio.Writer, v reflect.Value) error {
			_, err := w.Write(strconv.AppendInt(w.AvailableBuffer(), v.Int(), 10))
			return err
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(w *bufio.Writer, v reflect.Value) error {
			_, err := w.Write(strconv.AppendUint(w.AvailableBuffer(), v.Uint(), 10))
			return err
		}
	}
	return encodeOther
}

// write writes a literal.
func write(w *bufio.Writer, text string) error {
	_, err := w.WriteString(text)
	return err
}

// newListEncoder creates the encoder of a slice or an array.
func newListEncoder(t reflect.Type) encoder {
	element := later(t.Elem())
	return func(w *bufio.Writer, v reflect.Value) error {
		w.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				w.WriteByte(',')
			}
			if err := element(w, v.Index(i)); err != nil {
				return err
			}
		}
		return w.WriteByte(']')
	}
}

type field struct {
	index                int
	name                 string // quoted, with the colon
	omitEmpty, omitZeros bool
	encode               encoder
}

// newStructEncoder creates the encoder of a structure. It uses encoding/json for structures that embed others, or that
// have options other than omitempty and omitzero.
func newStructEncoder(t reflect.Type) encoder {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		_, zeroMethod := reflect.PointerTo(f.Type).MethodByName("IsZero")
		switch {
		case f.Anonymous:
			return encodeOther
		case name == "-" && options == "" || !f.IsExported():
			continue
		case options != "" && options != "omitempty" && (options != "omitzero" || zeroMethod):
			return encodeOther
		}
		quoted, err := json.Marshal(cmp.Or(name, f.Name))
		if err != nil {
			return encodeOther
		}
		fields = append(fields, field{i, string(quoted) + ":", options == "omitempty", options == "omitzero",
			later(f.Type)})
	}
	return func(w *bufio.Writer, v reflect.Value) error {
		between := byte('{')
		for i := range fields {
			f := &fields[i]
			x := v.Field(f.index)
			if f.omitEmpty && isEmpty(x) || f.omitZeros && x.IsZero() {
				continue
			}
			w.WriteByte(between)
			between = ','
			w.WriteString(f.name)
			if err := f.encode(w, x); err != nil {
				return err
			}
		}
		if between == '{' {
			w.WriteByte('{')
		}
		return w.WriteByte('}')
	}
}

// isEmpty reports whether encoding/json omits the value under omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// marshalsItself reports whether a type has its own JSON form.
func marshalsItself(t reflect.Type) bool {
	t = reflect.PointerTo(t)
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// encodeOther writes a value with encoding/json.
func encodeOther(w *bufio.Writer, v reflect.Value) error {
	x := v.Interface()
	if v.CanAddr() { // also for methods with pointer receivers
		x = v.Addr().Interface()
	}
	text, err := json.Marshal(x)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// encodeString writes a string. It uses encoding/json for strings with characters that need an escape or a check.
func encodeString(w *bufio.Writer, v reflect.Value) error {
	s := v.String()
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return encodeOther(w, v)
		}
	}
	w.WriteByte('"')
	w.WriteString(s)
	return w.WriteByte('"')
}

// encodeNumber writes a [Number].
func encodeNumber(w *bufio.Writer, v reflect.Value) error {
	if x := v.Float(); math.IsInf(x, 0) || math.IsNaN(x) {
		return encodeOther(w, v)
	}
	return encodeFloat(w, v)
}

// encodeFloat writes a number in the shortest form, like ES6.
func encodeFloat(w *bufio.Writer, v reflect.Value) error {
	x := v.Float()
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 && !(x == 0 && math.Signbit(x)) {
		_, err := w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(x), 10))
		return err
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return encodeOther(w, v)
	}
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	text := strconv.AppendFloat(w.AvailableBuffer(), x, format, -1, 64)
	if n := len(text); format == 'e' && n >= 4 && bytes.Equal(text[n-4:n-1], []byte("e-0")) {
		text[n-2] = text[n-1] // e-09 is written as e-9
		text = text[:n-1]
	}
	_, err := w.Write(text)
	return err
}
