package compare

import (
	"encoding/json"
	"fmt"
	"io"

	"xopt/cmd/internal/report"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// file is what a program reads of a difference. Rates are in bytes/s, errors are parts.
type file struct {
	Tool      string   `json:"tool"`
	Version   string   `json:"version"`
	Before    string   `json:"before"` // the files
	After     string   `json:"after"`
	Remarks   []string `json:"remarks,omitempty"`
	Unlike    []string `json:"unlike,omitempty"`
	Predicted []change `json:"predicted,omitempty"`
	Measured  []change `json:"measured,omitempty"`
	BesideOf  string   `json:"beside_of,omitempty"`
	Beside    []beside `json:"beside,omitempty"`
}

type change struct {
	What       string        `json:"what"`
	Before     result.Number `json:"before"`
	After      result.Number `json:"after"`
	Change     string        `json:"change"`
	Confidence string        `json:"confidence"`
}

type beside struct {
	What      string        `json:"what"`
	Predicted result.Number `json:"predicted"`
	Measured  result.Number `json:"measured"`
	// Error is absent where the run is too short or too unsteady to determine it.
	Error *result.Number `json:"error,omitempty"`
}

// Encode writes a difference between two files as JSON.
func (d *Difference) Encode(w io.Writer, version, before, after string) error {
	f := file{Tool: "xopt", Version: version, Before: before, After: after, Remarks: d.Remarks, Unlike: d.Unlike,
		Predicted: changes(d.Predicted), Measured: changes(d.Measured), BesideOf: d.BesideOf, Beside: besides(d.Beside)}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&f); err != nil {
		return fmt.Errorf("writing a difference: %w", err)
	}
	return nil
}

func changes(list []report.Change) []change {
	var out []change
	for i := range list {
		x := &list[i]
		out = append(out, change{x.What, result.Number(x.Before), result.Number(x.After), x.Change, x.Confidence})
	}
	return out
}

func besides(list []predict.Beside) []beside {
	var out []beside
	for i := range list {
		x := &list[i]
		row := beside{What: x.What, Predicted: x.Predicted, Measured: x.Measured}
		if x.Known() {
			off := result.Number(x.Error())
			row.Error = &off
		}
		out = append(out, row)
	}
	return out
}
