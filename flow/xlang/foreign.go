package xlang

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// A file that is not an X file may be confidential. An X file from another author may include such a file, so errors
// must not show its lines.

// extension is the file name extension of X files.
const extension = ".x"

// checkpoint is the suffix of the names of checkpoints, the files of interrupted commands.
const checkpoint = ".checkpoint.json"

// foreignError is an error about a file that is not an X file. It contains no text of the file.
type foreignError struct {
	path string
	line int // line of the first error; 0 if the file does not begin like an X file
}

func (e *foreignError) Error() string {
	if strings.HasSuffix(e.path, checkpoint) {
		return fmt.Sprintf("%s is not an X file, but a checkpoint: repeat the interrupted command with --resume, "+
			"which finds the file by itself", e.path)
	}
	if e.line == 0 {
		return fmt.Sprintf("%s is not an X file: it does not begin with a statement (%s or #include)", e.path,
			strings.Join(fileKinds(), ", "))
	}
	return fmt.Sprintf("%s is not an X file: line %d cannot be read (if the file is an X file, rename it to end in %s "+
		"to see the error)", e.path, e.line, extension)
}

// unreadableAs returns the error identifier for a file that cannot be read as an X file.
func unreadableAs(err error) fault.ID {
	if foreign := (*foreignError)(nil); errors.As(err, &foreign) {
		return faults.NotAnXFile
	}
	return fault.NoFile
}

// beginsLikeX reports whether the first word of a text is a keyword of a statement, or similar to such a keyword.
func beginsLikeX(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	for {
		src = bytes.TrimLeft(src, " \t\r\n\f\v")
		stop := 0
		switch {
		case len(src) == 0:
			return true
		case bytes.HasPrefix(src, []byte("//")):
			stop = bytes.IndexByte(src, '\n')
		case bytes.HasPrefix(src, []byte("/*")):
			if stop = bytes.Index(src, []byte("*/")); stop >= 0 {
				stop += len("*/")
			}
		case src[0] == '#':
			return bytes.HasPrefix(bytes.TrimLeft(src[1:], " \t"), []byte("include"))
		default:
			const longest = 32 // longer than any keyword
			word := src[:min(len(src), longest)]
			stop := 0
			for stop < len(word) && isWord(word[stop]) {
				stop++
			}
			word = word[:stop]
			return slices.Contains(fileKinds(), string(word)) || Nearest(string(word), fileKinds()) != ""
		}
		if stop < 0 {
			return true // the lexer reports an unclosed comment
		}
		src = src[stop:]
	}
}
