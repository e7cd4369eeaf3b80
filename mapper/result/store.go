package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"xopt/internal/files/jsonfile"
	"xopt/mapper/faults"
)

// Encode writes a result as JSON.
func (r *Result) Encode(w io.Writer) error {
	e := json.NewEncoder(&headWriter{w: w})
	if len(r.Kernels) <= maxIndented && r.Measured.logged() <= maxIndented {
		e = json.NewEncoder(w)
		e.SetIndent("", "  ")
	}
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// maxIndented is up to how many kernels, and how many logged firings and elements, a result is written for reading;
// larger ones go without white space, which would be half of them.
const maxIndented = 5000

// headWriter puts the blanks into the head of a result by which its files are known.
type headWriter struct {
	w       io.Writer
	written bool
}

// Write implements io.Writer.
func (h *headWriter) Write(p []byte) (int, error) {
	rest := p
	if !h.written {
		h.written = true
		compact := fmt.Appendf(nil, `{"schema":%d,"tool":"xopt",`, Schema)
		if after, ok := bytes.CutPrefix(p, compact); ok {
			rest = after
			if _, err := fmt.Fprintf(h.w, `{"schema": %d, "tool": "xopt",`, Schema); err != nil {
				return 0, err
			}
		}
	}
	n, err := h.w.Write(rest)
	return len(p) - len(rest) + n, err
}

// Decode reads a result and checks it. name is used in errors.
func Decode(name string, rd io.Reader) (*Result, error) {
	var r Result
	if err := (jsonfile.Format{What: "result file", Schema: Schema, Tool: "xopt"}).Read(name, rd, &r); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, faults.DamagedResult.Errorf("%s is damaged: %w", name, err)
	}
	return &r, nil
}

// check refuses figures that no run writes.
func (r *Result) check() error {
	for i := range r.WhatIf {
		w := &r.WhatIf[i]
		for _, list := range w.Throughput {
			if len(list) != len(w.Values) {
				return fmt.Errorf("the throughput over the %s has %d values for %d", w.Name, len(list), len(w.Values))
			}
		}
		if len(w.Values) == 0 {
			return fmt.Errorf("the throughput over the %s has no values", w.Name)
		}
	}
	if s := r.Sweep; s != nil {
		for i := range s.Points {
			if p := &s.Points[i]; len(p.Values) != len(s.Varied) || p.Mapping < -1 || p.Mapping >= len(s.Mappings) {
				return fmt.Errorf("point %d of the sweep has %d values for %d, and mapping %d of %d", i+1,
					len(p.Values),
					len(s.Varied), p.Mapping, len(s.Mappings))
			}
		}
	}
	if r.Validation != nil {
		for i := range r.Validation.Cases {
			c := &r.Validation.Cases[i]
			if c.Candidate < -1 || c.Candidate >= len(r.Candidates) {
				return fmt.Errorf("mapping %s claims to be candidate %d of %d", c.Name, c.Candidate, len(r.Candidates))
			}
			if c.Fail == "" && (len(c.Runs) == 0 || !(c.Measured > 0)) {
				return fmt.Errorf("mapping %s has %d runs and a throughput of %g", c.Name, len(c.Runs),
					c.Measured)
			}
		}
	}
	if m := r.Measured; m != nil {
		for i, f := range m.Frames {
			if len(f.Edges) != len(m.Edges) || len(f.Kernels) != len(m.Kernels) {
				return fmt.Errorf("frame %d has %d edges and %d kernels, the run %d and %d", i, len(f.Edges),
					len(f.Kernels), len(m.Edges), len(m.Kernels))
			}
		}
	}
	if r.Profile != nil {
		if err := r.Profile.Validate(); err != nil {
			return fmt.Errorf("its profile: %w", err)
		}
	}
	for _, c := range r.Candidates {
		if !(c.Throughput > 0) || math.IsInf(float64(c.Throughput), 0) {
			return fmt.Errorf("candidate %s has throughput %g", c.Name, float64(c.Throughput))
		}
		for _, b := range c.Bottlenecks {
			for _, l := range b.Limits {
				if len(l.Members) != len(l.Parts) {
					return fmt.Errorf("limit %s has %d members and %d parts", l.Name, len(l.Members), len(l.Parts))
				}
			}
		}
		for _, s := range c.Stations {
			if !(s.Utilization >= 0 && s.Utilization <= 1) || s.ArrivalRate < 0 || s.ServiceRate < 0 {
				return fmt.Errorf("station %s has utilization %g, arrival rate %g and service rate %g", s.Name,
					float64(s.Utilization), float64(s.ArrivalRate), float64(s.ServiceRate))
			}
		}
	}
	return nil
}
