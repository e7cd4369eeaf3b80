package trace

import (
	"errors"
	"fmt"
	"io"
)

// longestWord is the maximum length of a word in a dump. The value of a vector may be long.
const longestWord = 1 << 20

// more reads more data when the buffer is empty; false at the end.
func (r *vcdReader) more() (bool, error) {
	n, err := r.in.Read(r.buf[:cap(r.buf)])
	r.buf, r.at = r.buf[:n], 0
	switch {
	case n > 0:
		return true, nil
	case errors.Is(err, io.EOF):
		return false, nil
	case err == nil:
		err = io.ErrNoProgress
	}
	return false, fmt.Errorf("reading %s: %w", r.name, err)
}

// read reads the next word.
func (r *vcdReader) read() error {
	r.word = r.word[:0]
	for {
		if r.at == len(r.buf) {
			any, err := r.more()
			switch {
			case err != nil:
				return err
			case !any && len(r.word) > 0:
				return nil
			case !any:
				return io.EOF
			}
		}
		if len(r.word) == 0 {
			for r.at < len(r.buf) && r.buf[r.at] <= ' ' {
				if r.buf[r.at] == '\n' {
					r.line++
				}
				r.at++
			}
		}
		from := r.at
		for r.at < len(r.buf) && r.buf[r.at] > ' ' {
			r.at++
		}
		if r.word = append(r.word, r.buf[from:r.at]...); len(r.word) > longestWord {
			return r.wrong("a word is longer than %d bytes: check that the file is a VCD dump", longestWord)
		}
		if len(r.word) > 0 && r.at < len(r.buf) {
			return nil
		}
	}
}

// section reads the words up to $end.
func (r *vcdReader) section(maximum int) ([]string, error) {
	var list []string
	for {
		err := r.read()
		if errors.Is(err, io.EOF) {
			return nil, r.wrong("the dump is incomplete: a section has no $end")
		}
		if err != nil {
			return nil, err
		}
		if string(r.word) == "$end" {
			return list, nil
		}
		if len(list) < maximum {
			list = append(list, string(r.word))
		}
	}
}
