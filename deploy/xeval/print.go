package xeval

import (
	"strconv"
	"strings"
)

// RuleText returns a rule as it is written: "2x.a and x.b or x.c -> x.y".
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
