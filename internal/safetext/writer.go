package safetext

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer cleans text as Clean does, and forwards it. It preserves the escape sequences that xopt uses to style its own
// text. Write does not return errors of the underlying writer, because the caller may have other work to do. Err and
// Flush return the first error. A Writer is safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	to      io.Writer
	err     error  // first error of the underlying writer
	pending []byte // start of an incomplete character or escape sequence
	out     bytes.Buffer
}

// NewWriter returns a Writer that forwards to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// JSON returns a writer of JSON to the same destination. It preserves all characters of strings, and writes unsafe
// characters as \u escapes.
func (w *Writer) JSON() io.Writer { return jsonWriter{w} }

// Under returns the underlying writer.
func (w *Writer) Under() io.Writer { return w.to }

// Err returns the first error of the underlying writer.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Write implements io.Writer. It retains an incomplete character until the remaining bytes arrive.
func (w *Writer) Write(p []byte) (int, error) { return w.write(p, false) }

// Flush writes a replacement for an incomplete character and returns the first error.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) > 0 {
		w.pending = w.pending[:0]
		w.pass([]byte{replacement})
	}
	return w.err
}

type jsonWriter struct{ *Writer }

func (w jsonWriter) Write(p []byte) (int, error) { return w.write(p, true) }

// styles returns the escape sequences that Writer forwards: bold, red and plain.
func styles() [3]string { return [3]string{"\x1b[1m", "\x1b[31m", "\x1b[0m"} }

// styleAt returns the style at the start of text, and whether text may be the start of an incomplete style.
func styleAt(text []byte) (style string, partly bool) {
	for _, s := range styles() {
		if bytes.HasPrefix(text, []byte(s)) {
			return s, false
		}
		partly = partly || strings.HasPrefix(s, string(text))
	}
	return "", partly
}

func (w *Writer) write(p []byte, json bool) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 && isPlain(p) {
		w.pass(p)
		return len(p), nil
	}
	text := append(w.pending, p...)
	w.pending = nil
	w.out.Reset()
	for len(text) > 0 {
		n := w.next(text, json)
		if n == 0 {
			w.pending = bytes.Clone(text)
			break
		}
		text = text[n:]
	}
	w.pass(w.out.Bytes())
	return len(p), nil
}

// next cleans the character or style at the start of text. It returns the length of this character or style, or 0 if
// more bytes are needed.
func (w *Writer) next(text []byte, json bool) int {
	if text[0] == 0x1b && !json {
		style, partly := styleAt(text)
		switch {
		case style != "":
			w.out.WriteString(style)
			return len(style)
		case partly:
			return 0
		}
	}
	if !utf8.FullRune(text) {
		return 0
	}
	r, n := utf8.DecodeRune(text)
	switch {
	case shown(r):
		w.out.WriteRune(r)
	case json:
		escape(&w.out, r)
	default:
		w.out.WriteRune(replacement)
	}
	return n
}

// escape writes a character as JSON escapes.
func escape(out *bytes.Buffer, r rune) {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		escape(out, high)
		escape(out, low)
		return
	}
	fmt.Fprintf(out, `\u%04x`, r)
}

// isPlain reports whether text needs no cleaning because it contains only printable ASCII, line ends and tabs.
func isPlain(p []byte) bool {
	for _, c := range p {
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func (w *Writer) pass(p []byte) {
	if w.err == nil && len(p) > 0 {
		_, w.err = w.to.Write(p)
	}
}
