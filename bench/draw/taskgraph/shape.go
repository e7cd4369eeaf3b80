package taskgraph

import (
	"embed"
	"fmt"
	"strings"

	"xopt/internal/files/generated"
)

// shape contains the numbers of inputs and outputs of a kernel. All kernels of one shape are instances of one block.
type shape struct{ ins, outs int }

//go:embed block.x.tmpl block.c.tmpl
var templates embed.FS

// Name returns the name of the block.
func (s shape) Name() string {
	switch {
	case s.Source():
		return fmt.Sprintf("Source%d", s.outs)
	case s.Sink():
		return fmt.Sprintf("Sink%d", s.ins)
	}
	return fmt.Sprintf("Node%dx%d", s.ins, s.outs)
}

// File returns the name of the block's C source.
func (s shape) File() string { return strings.ToLower(s.Name()) + ".c" }

// Source reports whether the kernel has no inputs. Sink reports whether it has inputs but no outputs.
func (s shape) Source() bool { return s.ins == 0 }
func (s shape) Sink() bool   { return s.outs == 0 && s.ins > 0 }

// Joins reports whether the kernel consumes elements of several inputs together.
func (s shape) Joins() bool { return s.ins > 1 }

// Ins returns the numbers of the inputs, from 1, and Outs the numbers of the outputs.
func (s shape) Ins() []int  { return upTo(s.ins) }
func (s shape) Outs() []int { return upTo(s.outs) }

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// block returns the X declaration of the block. source returns its C code.
func (s shape) block() (string, error)  { return generated.Text(templates, "block.x.tmpl", nil, s) }
func (s shape) source() (string, error) { return generated.Text(templates, "block.c.tmpl", nil, s) }
