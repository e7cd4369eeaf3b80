package run

import (
	"bytes"
	"regexp"
	"sync"

	"xopt/deploy/wire"
)

// maxTold is how much of what a process prints goes to the control at once; of more, only the end follows, when the
// process has ended.
const maxTold = 2 * maxPrinted

// lastTold is how much of the end that is, at least: what a message shows, and a piece with its mark.
const lastTold = maxTail + 4<<10

// hearer takes in what a process prints. end is called when no more comes.
type hearer interface {
	Write(b []byte) (int, error)
	end()
}

// teller sends the control what a process of a part prints: the beginning and the end of it.
type teller struct {
	conn    *wire.Conn
	process int

	mu      sync.Mutex
	left    int    // of maxTold
	kept    []byte // what was printed later, as far as it may be the end
	dropped int    // bytes before that which are not sent, marks of who prints aside
}

func newTeller(conn *wire.Conn, process int) *teller {
	return &teller{conn: conn, process: process, left: maxTold}
}

// Write implements io.Writer.
func (t *teller) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := b
	for t.left > 0 && len(rest) > 0 {
		text := rest[:min(len(rest), t.left, wire.ChunkBytes/2)]
		if err := t.conn.SendValue(wire.Printed, wire.Said{Process: t.process, Text: text}); err != nil {
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

// marks are what tells who prints (runtime/speech.c).
var marks = regexp.MustCompile("\x1e-?[0-9]+\x1f")

// trim drops what is not the end of what was kept; it cuts no mark in two.
func (t *teller) trim() {
	cut := len(t.kept) - lastTold
	if cut <= 0 {
		return
	}
	if at := bytes.LastIndexByte(t.kept[:cut], '\x1e'); at >= cut-maxMark {
		cut = at
	}
	t.dropped += len(marks.ReplaceAll(t.kept[:cut], nil))
	t.kept = bytes.Clone(t.kept[cut:])
}

// end sends the end of what was printed.
func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trim(); len(t.kept) == 0 {
		return
	}
	said := wire.Said{Process: t.process, Text: t.kept, Dropped: t.dropped}
	_ = t.conn.SendValue(wire.Printed, said) // if it fails, the control is gone
	t.kept, t.dropped = nil, 0
}
