package rtl

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// element is a node of the XML output of verilator or ghdl.
type element struct {
	tag  string
	attr map[string]string
	kids []*element
}

// deepest is the maximum nesting depth of elements.
const deepest = 2000

func readTree(path string) (*element, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	root := &element{}
	open := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{tag: t.Name.Local, attr: make(map[string]string, len(t.Attr))}
			for _, a := range t.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			top := open[len(open)-1]
			top.kids = append(top.kids, e)
			if open = append(open, e); len(open) > deepest {
				return nil, fmt.Errorf("elements are nested more than %d levels deep", deepest)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// all calls f for e and the elements below it, parents first. If f returns false for an element, all skips the elements
// below it.
func (e *element) all(f func(*element) bool) {
	if !f(e) {
		return
	}
	for _, k := range e.kids {
		k.all(f)
	}
}

// find returns the first element with a tag, or nil if there is none.
func (e *element) find(tag string) (found *element) {
	e.all(func(x *element) bool {
		if found == nil && x.tag == tag {
			found = x
		}
		return found == nil
	})
	return found
}

// constant returns the value of a number in verilator's notation, such as 2'h1. It returns false for other elements and
// for numbers with unknown bits.
func (e *element) constant() (uint64, bool) {
	if e.tag != "const" {
		return 0, false
	}
	_, digits, ok := strings.Cut(e.attr["name"], "'")
	digits = strings.TrimPrefix(digits, "s")
	if !ok || digits == "" {
		return 0, false
	}
	base := map[byte]int{'h': 16, 'd': 10, 'b': 2, 'o': 8}[digits[0]]
	if base == 0 {
		return 0, false
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(digits[1:], "_", ""), base, 64)
	return v, err == nil
}

// place is the position of an element in its file, counted from 1. The end is the position after the last character.
type place struct {
	file                string // file id of verilator
	line, column        int
	lastLine, endColumn int
}

// place returns the position in the attribute loc, or false if the attribute is missing.
func (e *element) place() (p place, ok bool) {
	parts := strings.Split(e.attr["loc"], ",")
	if len(parts) != 5 {
		return p, false
	}
	p.file = parts[0]
	for i, to := range []*int{&p.line, &p.column, &p.lastLine, &p.endColumn} {
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return p, false
		}
		*to = n
	}
	return p, true
}

// text returns the source text at a place within one line, or "" if the place does not exist.
func (p place) text(lines []string) string {
	if p.line < 1 || p.line > len(lines) || p.line != p.lastLine {
		return ""
	}
	line := lines[p.line-1]
	if p.column < 1 || p.endColumn <= p.column || p.endColumn-1 > len(line) {
		return ""
	}
	return line[p.column-1 : p.endColumn-1]
}

// plain converts a name from verilator's notation to Verilog.
func plain(name string) string {
	return strings.NewReplacer("__BRA__", "[", "__KET__", "]", "__DOT__", ".").Replace(name)
}
