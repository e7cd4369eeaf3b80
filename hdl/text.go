package hdl

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed record.h.tmpl record.v.tmpl registers.h.tmpl registers.v.tmpl
var templates embed.FS

// recordText is the data of the record templates.
type recordText struct {
	RecordLayout
	CheckRest int // bits of the check that come in again on the right
	Kinds     []kindText
	Merges    []string
}

type kindText struct {
	Label   string
	Figures []Figure
}

// CHeader returns the layout as a C++ header (record.h), with the figures of all taps.
func (l RecordLayout) CHeader() (string, error) { return l.fill("record.h.tmpl") }

// Verilog returns the layout as the local parameters that xopt_agent.v contains.
func (l RecordLayout) Verilog() (string, error) { return l.fill("record.v.tmpl") }

func (l RecordLayout) fill(name string) (string, error) {
	text := recordText{RecordLayout: l, CheckRest: 32 - l.CheckTurn}
	for k := ActivityTap; k <= GapTap; k++ {
		text.Kinds = append(text.Kinds, kindText{k.name(), k.Figures()})
	}
	for m := MergeNone; m <= MergeSumHigh; m++ {
		text.Merges = append(text.Merges, m.Name())
	}
	t, err := template.ParseFS(templates, name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, text); err != nil {
		return "", fmt.Errorf("writing the layout of records: %w", err)
	}
	return b.String(), nil
}
