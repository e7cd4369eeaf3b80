package report

import (
	"strings"

	"xopt/deploy/validate"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// Validation is what came of running mappings: their throughput beside what was predicted, what runs
// where, and what the errors are together.
func Validation(r *result.Result) []Part {
	v := r.Validation
	p := &script{}
	p.show(cases(r), shares(v))
	p.parts = append(p.parts, verdicts(v)...)
	p.show(places(r))
	p.parts = append(append(p.parts, queues(v)...), recommendedSizes(v)...)
	if v.Summary.Cases > 0 {
		p.show(errors(v))
	}
	p.closingValidation(v)
	return p.parts
}

// places are the mappings that were to run, and why those failed or were off that did.
func places(r *result.Result) *Table {
	t := &Table{ID: "places", Title: "What ran where", Columns: []Column{name("mapping"),
		name("kernels").fold(anyLength), name("failed, or off, because").fold(anyLength)}}
	for i := range r.Validation.Cases {
		c := &r.Validation.Cases[i]
		if c.Candidate < 0 {
			continue
		}
		why := c.Reason
		if c.Fail != "" && c.Fail != validate.Interrupted {
			why = c.Fail
		}
		on := make(map[string][]string)
		for _, p := range r.Candidates[c.Candidate].Place {
			on[p.Resource] = append(on[p.Resource], p.Words())
		}
		var where []string
		for _, x := range r.Architecture {
			if len(on[x.Name]) > 0 {
				where = append(where, x.Name+": "+strings.Join(design.Ranges(on[x.Name]), " "))
			}
		}
		t.add(text(c.Name), text(strings.Join(where, "; ")), text(why))
	}
	return t
}
