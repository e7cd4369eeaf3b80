package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/jsonfile"
	"xopt/mapper/faults"
)

// Encode writes a result as JSON. It streams the text, so that the complete text is never in memory.
func (r *Result) Encode(w io.Writer) error {
	// Readers identify a result file by the start of its text, including the spaces.
	layout := json.JoinOptions(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	if len(r.Kernels) <= maxIndented && r.Measured.logged() <= maxIndented {
		layout = jsontext.WithIndent("  ")
	}
	out := jsontext.NewEncoder(w, jsonv1.DefaultOptionsV1(), json.WithMarshalers(json.MarshalToFunc(encodeNumber)),
		layout)
	if err := json.MarshalEncode(out, r); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// maxIndented is the number of kernels, or of logged firings and elements, above which Encode writes no indentation. In
// large files, indentation would double the size.
const maxIndented = 5000

// encodeNumber writes a [Number] without memory allocations.
func encodeNumber(out *jsontext.Encoder, n Number) error {
	if v := float64(n); !math.IsInf(v, 0) && !math.IsNaN(v) {
		return out.WriteToken(jsontext.Float(v))
	}
	text, err := n.MarshalJSON()
	if err != nil {
		return err
	}
	return out.WriteValue(text)
}

// Decode reads a result and checks it. Errors contain name.
func Decode(name string, rd io.Reader) (*Result, error) {
	var r Result
	if err := (jsonfile.Format{What: "result file", Schema: Schema, Tool: "xopt"}).Read(name, rd, &r); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, faults.DamagedResult.Errorf("%s is damaged: %w (repeat the command that wrote this file)", name,
			err)
	}
	return &r, nil
}

// check returns an error if fields of a result contradict each other.
func (r *Result) check() error {
	for i := range r.WhatIf {
		w := &r.WhatIf[i]
		for _, list := range w.Throughput {
			if len(list) != len(w.Values) {
				return fmt.Errorf("throughput versus %s: %d throughputs for %d values", w.Name, len(list),
					len(w.Values))
			}
		}
		if len(w.Values) == 0 {
			return fmt.Errorf("throughput versus %s: no values", w.Name)
		}
	}
	if s := r.Sweep; s != nil {
		for i := range s.Points {
			if p := &s.Points[i]; len(p.Values) != len(s.Varied) || p.Mapping < -1 || p.Mapping >= len(s.Mappings) {
				return fmt.Errorf("point %d of the sweep has %d values for %d parameters, and refers to mapping "+
					"%d of %d mappings", i+1, len(p.Values), len(s.Varied), p.Mapping, len(s.Mappings))
			}
		}
	}
	if r.Validation != nil {
		if err := r.Validation.checkRace(); err != nil {
			return err
		}
		for i := range r.Validation.Cases {
			c := &r.Validation.Cases[i]
			if c.Candidate < -1 || c.Candidate >= len(r.Candidates) {
				return fmt.Errorf("mapping %s refers to candidate %d, but there are only %d candidates", c.Name,
					c.Candidate, len(r.Candidates))
			}
			if c.Fail == "" && (len(c.Runs) == 0 || !(c.Measured > 0)) {
				return fmt.Errorf("mapping %s has %d runs and a throughput of %g, expected at least one run and a "+
					"throughput above 0", c.Name, len(c.Runs), c.Measured)
			}
		}
	}
	if m := r.Measured; m != nil {
		for i, f := range m.Frames {
			if len(f.Edges) != len(m.Edges) || len(f.Kernels) != len(m.Kernels) {
				return fmt.Errorf("frame %d has %d edges and %d kernels, but the run has %d edges and %d kernels", i,
					len(f.Edges), len(f.Kernels), len(m.Edges), len(m.Kernels))
			}
		}
	}
	if r.Profile != nil {
		if err := r.Profile.Validate(); err != nil {
			return fmt.Errorf("profile of the result: %w", err)
		}
	}
	for _, c := range r.Candidates {
		if !(c.Throughput > 0) || math.IsInf(float64(c.Throughput), 0) {
			return fmt.Errorf("candidate %s has throughput %g, expected a finite value above 0", c.Name,
				float64(c.Throughput))
		}
		if c.FlowBound != 0 && !(c.FlowBound >= c.Throughput) || math.IsInf(float64(c.FlowBound), 0) {
			return fmt.Errorf("candidate %s has flow bound %g, expected at least its throughput %g", c.Name,
				float64(c.FlowBound), float64(c.Throughput))
		}
		for _, b := range c.Bottlenecks {
			for _, l := range b.Limits {
				if len(l.Members) != len(l.Parts) {
					return fmt.Errorf("limit %s has %d members and %d parts, expected equal numbers", l.Name,
						len(l.Members), len(l.Parts))
				}
			}
		}
		for _, s := range c.Stations {
			if !(s.Utilization >= 0 && s.Utilization <= 1) || s.ArrivalRate < 0 || s.ServiceRate < 0 {
				return fmt.Errorf("station %s has utilization %g, arrival rate %g and service rate %g, expected "+
					"a utilization of 0 to 1 and rates of at least 0", s.Name, float64(s.Utilization),
					float64(s.ArrivalRate), float64(s.ServiceRate))
			}
		}
	}
	return nil
}

// ReadFile reads a result file. An invalid file is an error of wrong input.
func ReadFile(path string) (*Result, error) {
	file, err := infile.Open(path)
	if near := similarResult(path); errors.Is(err, fs.ErrNotExist) && near != "" {
		err = fmt.Errorf("%w (did you mean %s?)", err, near)
	}
	if err != nil {
		return nil, fault.Usage(err)
	}
	defer file.Close()
	r, err := Decode(path, file)
	if err != nil {
		return nil, fault.Usage(err)
	}
	return r, nil
}

// similarResult returns the existing JSON file whose name, without the extension, is most similar to the name of a
// missing result file; "" for none.
func similarResult(path string) string {
	dir, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Join(dir, ".")) // if the folder cannot be read, there is no suggestion
	stem := func(name string) string { return strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".result") }
	var files, stems []string
	for _, x := range entries {
		if x.Type().IsRegular() && filepath.Ext(x.Name()) == ".json" {
			files, stems = append(files, x.Name()), append(stems, stem(x.Name()))
		}
	}
	if at := slices.Index(stems, xlang.Nearest(stem(name), stems)); at >= 0 {
		return filepath.Join(dir, files[at])
	}
	return ""
}
