package output

import (
	"bytes"
	"context"
	"io"

	"xopt/internal/interrupt"
)

// WriteRendered writes a file whose text takes long to render. It writes nothing if the context ends first.
func WriteRendered(ctx context.Context, path string, write func(io.Writer) error) error {
	text, err := Render(ctx, write)
	if err != nil {
		return err
	}
	return WriteFile(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Render returns the text that a function writes, or the error of the context if the context ends first.
func Render(ctx context.Context, write func(io.Writer) error) ([]byte, error) {
	return interrupt.Do(ctx, func() ([]byte, error) {
		var text bytes.Buffer
		err := write(&text)
		return text.Bytes(), err
	})
}
