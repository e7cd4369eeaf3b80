package xeval

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes a semantics file as [Parse] reads it, in the form of the thesis' listings.
func Print(w io.Writer, f *File) error {
	var s strings.Builder
	for i := range f.Blocks {
		b := &f.Blocks[i]
		fmt.Fprintf(&s, "block %s\n", quoted(b.Name))
		for j := range b.Ports {
			b.Ports[j].print(&s)
		}
		for j := range b.Rules {
			fmt.Fprintf(&s, "    rule %s\n", b.RuleText(j))
		}
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing rules: %w", err)
	}
	return nil
}

func (p *Port) print(s *strings.Builder) {
	side := "out_port"
	if p.Input {
		side = "in_port"
	}
	fmt.Fprintf(s, "    port %s %s\n", quoted(p.Name), side)
	for i := range p.Events {
		e := &p.Events[i]
		shown := ""
		if e.Shown {
			shown = " *"
		}
		fmt.Fprintf(s, "        event %s %s%s\n", quoted(e.File), e.Kind, shown)
	}
}

// RuleText is a rule as it is written: "2x.a and x.b or x.c -> x.y".
func (b *Block) RuleText(rule int) string {
	r := &b.Rules[rule]
	return b.side(r.Inputs) + " -> " + b.side(r.Outputs)
}

func (b *Block) side(d Disjunction) string {
	var parts []string
	for _, c := range d {
		part := b.conjunction(c)
		if len(c) > 1 && len(d) > 1 {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " or ")
}

func (b *Block) conjunction(c Conjunction) string {
	var parts []string
	for _, m := range c {
		n := ""
		if m.N != 1 {
			n = strconv.Itoa(m.N) + " "
		}
		parts = append(parts, n+quoted(b.Ports[m.Port].Name))
	}
	return strings.Join(parts, " and ")
}

// quoted puts a name in quotes where it would not be read as one word.
func quoted(name string) string {
	l := lexer{text: name, line: 1, column: 1}
	t := l.next()
	if t.kind == word && t.text == name && !isKeyword(name) && (name[0] < '0' || name[0] > '9') {
		return name
	}
	return `"` + name + `"`
}
