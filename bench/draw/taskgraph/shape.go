package taskgraph

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// shape is how many inputs and outputs a kernel has: a block of its own.
type shape struct{ ins, outs int }

//go:embed block.x.tmpl block.c.tmpl
var templates embed.FS

// Name is that of the block.
func (s shape) Name() string {
	switch {
	case s.Source():
		return fmt.Sprintf("Source%d", s.outs)
	case s.Sink():
		return fmt.Sprintf("Sink%d", s.ins)
	}
	return fmt.Sprintf("Node%dx%d", s.ins, s.outs)
}

// File is its C source.
func (s shape) File() string { return strings.ToLower(s.Name()) + ".c" }

// Source reports whether it has no inputs, Sink whether it has no outputs.
func (s shape) Source() bool { return s.ins == 0 }
func (s shape) Sink() bool   { return s.outs == 0 && s.ins > 0 }

// Joins reports whether it takes an element of several inputs at once.
func (s shape) Joins() bool { return s.ins > 1 }

// Ins are the numbers of its inputs, from 1; Outs those of its outputs.
func (s shape) Ins() []int  { return upTo(s.ins) }
func (s shape) Outs() []int { return upTo(s.outs) }

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// block declares the block in X, and source is its C.
func (s shape) block() (string, error)  { return s.fill("block.x.tmpl") }
func (s shape) source() (string, error) { return s.fill("block.c.tmpl") }

func (s shape) fill(name string) (string, error) {
	t, err := template.ParseFS(templates, name)
	if err != nil {
		return "", fmt.Errorf("reading the template of a block: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, s); err != nil {
		return "", fmt.Errorf("writing block %s: %w", s.Name(), err)
	}
	return b.String(), nil
}
