package report

import (
	"slices"
	"strings"

	"xopt/mapper/result"
)

// PageOf is a page of what a terminal shows: what a word leads in are its facts.
func PageOf(title, command string, parts []Part) *Page {
	p := &Page{Title: title, Command: command}
	s := Section{ID: "shown", Title: "Answer"}
	for i := range parts {
		switch x := &parts[i]; {
		case x.Lead != nil && x.Lead.Word == "" && len(p.Facts) > 0:
			last := &p.Facts[len(p.Facts)-1]
			last.Note = strings.TrimPrefix(last.Note+"; "+x.Lead.Text, "; ")
		case x.Lead != nil:
			p.Facts = append(p.Facts, Fact{Label: x.Lead.Word, Value: x.Lead.Text})
		case x.List != nil:
			s.Parts = append(s.Parts, Part{Text: x.List.Title + ": " + strings.Join(x.List.Items, "; ")})
		case x.Table == nil || len(x.Table.Rows) > 0:
			s.Parts = append(s.Parts, *x)
		}
	}
	p.Sections = []Section{s}
	return p
}

// Tables are all tables of a result, each once: those of its page, and those that only a terminal shows.
func Tables(r *result.Result) []*Table {
	var list []*Table
	for _, s := range Of(r).Sections {
		list = append(list, TablesOf(s.Parts)...)
	}
	for _, t := range TablesOf(Terminal(r, false)) {
		if !slices.ContainsFunc(list, func(x *Table) bool { return x.ID == t.ID }) {
			list = append(list, t)
		}
	}
	return list
}

// TablesOf are the tables among some parts that have rows.
func TablesOf(parts []Part) []*Table {
	var list []*Table
	for i := range parts {
		if t := parts[i].Table; t != nil && len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}
