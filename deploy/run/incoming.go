package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"xopt/deploy/wire"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// incoming is a file that a part returns.
type incoming struct {
	file *os.File
	path string
	left int64
}

// receiveFile receives a file written by kernels of the host. It accepts only their output files.
func (p *remote) receiveFile(kind wire.Kind, payload []byte) error {
	if kind == wire.File {
		head, err := wire.Value[wire.FileHead](payload)
		if err != nil {
			return err
		}
		for _, x := range outputs(p.all.prog, p.host) {
			if x.Name == head.Name && p.into == nil {
				f, err := output.CreateTemp(x.Path)
				if err != nil {
					return fmt.Errorf("writing %s: %w", x.Path, err)
				}
				p.into = &incoming{f, x.Path, head.Size}
				return nil
			}
		}
		return fmt.Errorf("the host sent a file that was not requested: %q", safetext.Line(head.Name))
	}
	x := p.into
	if x == nil {
		return errors.New("protocol error: the host sent file data before a file name")
	}
	if x.left -= int64(len(payload)); x.left < 0 {
		return errors.Join(fmt.Errorf("file %s is longer than the host announced", x.path), x.drop())
	}
	if len(payload) > 0 {
		if _, err := x.file.Write(payload); err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", x.path, err), x.drop())
		}
		return nil
	}
	p.into = nil
	if err := output.Appear(x.file, x.path); err != nil {
		return fmt.Errorf("writing %s: %w", x.path, err)
	}
	return nil
}

// drop removes the incomplete file.
func (x *incoming) drop() error { return errors.Join(x.file.Close(), os.Remove(x.file.Name())) }

// tail stores the end of a program's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text = append(t.text, b...); len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(b), nil
}

// String returns a suffix for a message with the stored output; "" if there is none.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(safetext.Clean(string(t.text))); text != "" {
		return "; it printed: " + text
	}
	return ""
}
