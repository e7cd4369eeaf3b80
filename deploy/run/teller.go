package run

import (
	"bytes"
	"regexp"
	"sync"

	"xopt/deploy/wire"
)

// maxImmediate is the maximum output of a process that a part sends to the controller immediately. The part sends only
// the end of any further output, after the process has ended.
const maxImmediate = 2 * maxPrinted

// minTail is the minimum length of the end that the part sends. It has space for the tail in a message, and for a piece
// of output with its mark.
const minTail = maxTail + 4<<10

// hearer receives the output of a process. finish is called after the last output.
type hearer interface {
	Write(b []byte) (int, error)
	finish()
}

// teller sends the beginning and the end of a process's output to the controller.
type teller struct {
	conn    *wire.Conn
	process int

	mu      sync.Mutex
	left    int    // remaining bytes of maxImmediate
	kept    []byte // later output, which may be the end
	dropped int    // unsent bytes before kept, without marks of the writer
}

func newTeller(conn *wire.Conn, process int) *teller {
	return &teller{conn: conn, process: process, left: maxImmediate}
}

// Write implements io.Writer.
func (t *teller) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := b
	for t.left > 0 && len(rest) > 0 {
		text := rest[:min(len(rest), t.left, wire.ChunkBytes/2)]
		if err := t.conn.SendValue(wire.Printed, wire.Output{Process: t.process, Text: text}); err != nil {
			return len(b) - len(rest), err
		}
		t.left -= len(text)
		rest = rest[len(text):]
	}
	if t.kept = append(t.kept, rest...); len(t.kept) > wire.ChunkBytes {
		t.trim()
	}
	return len(b), nil
}

// marks matches the marks that identify the printing kernel (runtime/speech.c).
var marks = regexp.MustCompile("\x1e-?[0-9]+\x1f")

// trim drops all stored text except for its end, without splitting a mark.
func (t *teller) trim() {
	cut := len(t.kept) - minTail
	if cut <= 0 {
		return
	}
	if at := bytes.LastIndexByte(t.kept[:cut], '\x1e'); at >= cut-maxMark {
		cut = at
	}
	t.dropped += len(marks.ReplaceAll(t.kept[:cut], nil))
	t.kept = bytes.Clone(t.kept[cut:])
}

// finish sends the end of the output.
func (t *teller) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trim(); len(t.kept) == 0 {
		return
	}
	output := wire.Output{Process: t.process, Text: t.kept, Dropped: t.dropped}
	_ = t.conn.SendValue(wire.Printed, output) // a failure means that the controller has ended
	t.kept, t.dropped = nil, 0
}
