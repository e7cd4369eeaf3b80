package report

import (
	"fmt"
	"strings"

	"xopt/internal/safetext"
	"xopt/mapper/result"
)

// WithProvenance adds a section with the provenance of the page from r. If the page is based on other results, the
// section also lists their origins. r.Inputs contains the files of these results in the same order.
func (p *Page) WithProvenance(r *result.Result, rests ...*result.Result) {
	s := provenance(r)
	if len(rests) > 0 {
		t := &Table{ID: "made", Title: "Origin of the results", Columns: []Column{name("file"), name("begun"),
			name("host"), name("program"), name("command")}}
		for i, x := range rests {
			t.add(text(r.Inputs[i].Path), orDash(x.Made), orDash(x.Host), text(x.Tool+" "+x.Version),
				text(safetext.ShellLine(x.Command)))
		}
		s.Parts = append(s.Parts, Part{Table: t})
	}
	p.Sections = append(p.Sections, s)
}

// orDash returns the text, or a dash if it is empty.
func orDash(s string) Cell {
	if s == "" {
		return dash()
	}
	return text(s)
}

// provenance returns the section on the origin of results.
func provenance(r *result.Result) Section {
	s := Section{ID: "provenance", Title: "Provenance"}
	t := &Table{ID: "run", Title: "Origin of these results", Columns: []Column{name(""), name("")}}
	add := func(label, value string) { t.add(text(label), text(value)) }
	add("program", r.Tool+" "+r.Version)
	add("commit", commitOf(r.Version))
	add("command", safetext.ShellLine(r.Command))
	if r.Made != "" {
		add("begun", r.Made)
	}
	if r.Host != "" {
		add("host", r.Host)
	}
	if r.Search != nil {
		add("seed", fmt.Sprint(r.Search.Seed))
	}
	// Only predictions use φ.
	if r.MaxUtilization > 0 && (len(r.Candidates) > 0 || r.Prediction != nil || r.Sweep != nil) {
		add("φ, the upper limit of utilization (--phi)", fmt.Sprintf("%g", float64(r.MaxUtilization)))
	}
	if m := machineText(r); m != "" {
		add("machine", m)
	}
	s.Parts = append(s.Parts, Part{Table: t})
	if len(r.Inputs) > 0 {
		in := &Table{ID: "inputs", Title: "Inputs", Columns: []Column{name("file"), name("SHA-256")}}
		for _, i := range r.Inputs {
			in.add(text(i.Path), text(i.SHA256))
		}
		s.Parts = append(s.Parts, Part{Table: in})
	}
	if len(r.Candidates) > 0 {
		s.Parts = append(s.Parts, Part{Table: sources(&r.Candidates[0])})
	}
	return s
}

// commitOf returns the git commit in a version such as "0.1.0+a618c55435e6-dirty (go1.26)".
func commitOf(version string) string {
	first, _, _ := strings.Cut(version, " ")
	_, commit, ok := strings.Cut(first, "+")
	if !ok {
		return "not recorded in this build"
	}
	if clean, dirty := strings.CutSuffix(commit, "-dirty"); dirty {
		return clean + ", with uncommitted changes"
	}
	return commit
}

func machineText(r *result.Result) string {
	switch {
	case r.Measured != nil:
		return machineAndCompiler(&r.Measured.Machine)
	case r.Profile != nil:
		return machineAndCompiler(&r.Profile.Machine) + " (of the profile)"
	}
	return ""
}
