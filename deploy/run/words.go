package run

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"xopt/deploy/wire"
	"xopt/internal/safetext"
)

// maxPrinted is the maximum number of printed bytes for all kernels of a run.
const maxPrinted = 256 << 10

// printer prints the output of a run's kernels line by line. Each line starts with the name of the kernel. If the
// kernel is unknown, the line starts with the name of the process. The printer cleans and limits the output.
type printer struct {
	mu      sync.Mutex
	to      io.Writer // nil to discard all output
	left    int
	dropped int
}

func newPrinter(to io.Writer) *printer { return &printer{to: to, left: maxPrinted} }

// line prints one line.
func (p *printer) line(who string, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == nil {
		return
	}
	if len(text) > p.left || p.dropped > 0 {
		p.dropped += len(text) + 1
		return
	}
	p.left -= len(text) + 1
	// nolint:errcheck // as for all output beside the answer
	fmt.Fprintf(p.to, "%s: %s\n", who, safetext.Line(string(text)))
}

// drop counts discarded bytes. The printer then discards all further output.
func (p *printer) drop(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		p.dropped += max(bytes, 0)
	}
}

// finish prints the number of bytes that were not printed.
func (p *printer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dropped > 0 {
		// nolint:errcheck // likewise
		fmt.Fprintf(p.to, "kernel output is cut after %d KiB: %d bytes are not shown\n", maxPrinted>>10,
			p.dropped)
	}
}

// words collects the output of one process. It stores the beginning and the end for messages and removes the marks of
// runtime/speech.c.
type words struct {
	mu         sync.Mutex
	out        *printer
	name       func(kernel int) string // name of a kernel, or of the process for -1
	head, tail []byte
	kernel     int            // the printing kernel
	lines      map[int][]byte // incomplete line of each kernel
	mark       []byte         // an incomplete mark
}

// Limits of a process's stored output and of a line.
const (
	maxHead = 4000
	maxTail = 2000
	maxLine = 1000
	maxMark = 12
)

// Write implements io.Writer.
func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(b)
	b = append(w.mark, b...)
	w.mark = nil
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\x1e')
		if i != 0 {
			if i < 0 {
				i = len(b)
			}
			w.add(b[:i])
			b = b[i:]
			continue
		}
		stop := bytes.IndexByte(b, '\x1f')
		if stop < 0 && len(b) < maxMark {
			w.mark = bytes.Clone(b)
			break
		}
		k, err := strconv.Atoi(string(b[1:max(stop, 1)]))
		if err != nil || stop > maxMark {
			w.add(b[:1]) // printed by a kernel
			b = b[1:]
			continue
		}
		w.kernel = max(k, -1)
		b = b[stop+1:]
	}
	return n, nil
}

// hear adds output of a process that a part has sent.
func (w *words) hear(s *wire.Output) {
	if s.Dropped > 0 {
		w.finish() // do not continue lines across the missing text
		w.mu.Lock()
		w.mark, w.kernel = nil, -1
		w.tail = append(w.tail, "\n…\n"...)
		w.mu.Unlock()
		w.out.drop(s.Dropped)
	}
	_, _ = w.Write(s.Text) // never fails
}

// add adds output of the current kernel.
func (w *words) add(text []byte) {
	if room := maxHead - len(w.head); room > 0 {
		w.head = append(w.head, text[:min(room, len(text))]...)
	}
	if w.tail = append(w.tail, text...); len(w.tail) > maxTail {
		w.tail = append([]byte(nil), w.tail[len(w.tail)-maxTail:]...)
	}
	if w.lines == nil {
		w.lines = make(map[int][]byte)
	}
	line := append(w.lines[w.kernel], text...)
	for {
		i := bytes.IndexByte(line, '\n')
		if i < 0 && len(line) < maxLine {
			break
		}
		rest := i + 1
		if i < 0 || i > maxLine { // cut a long line
			i, rest = maxLine, maxLine
		}
		w.out.line(w.name(w.kernel), line[:i])
		line = line[rest:]
	}
	w.lines[w.kernel] = bytes.Clone(line)
}

// finish prints incomplete lines.
func (w *words) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(w.lines)) {
		if len(w.lines[k]) > 0 {
			w.out.line(w.name(k), w.lines[k])
		}
	}
	w.lines = nil
}

// found matches the first line of a report by a compiler's sanitizer.
var found = regexp.MustCompile(`(?m)^.*(?:runtime error|ERROR: AddressSanitizer): .*$`)

// String returns the end of the output, or a sanitizer's report.
func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if line := found.Find(w.head); line != nil {
		text := safetext.Line(string(line))
		if at := ownFrame.FindSubmatch(w.head); at != nil && bytes.Contains(line, []byte("AddressSanitizer")) {
			text += ", in " + safetext.Line(string(at[1]))
		}
		return text
	}
	return strings.TrimSpace(safetext.Clean(string(w.tail)))
}

// ownFrame matches the first place in the kernels' own code in a stack trace of AddressSanitizer.
var ownFrame = regexp.MustCompile(`(?m)^ *#\d+ 0x[0-9a-f]+ in (X_\w+ [^\n]*)$`)
