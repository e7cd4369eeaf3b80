package gnuradio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"xopt/deploy/faults"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/safetext"
)

// ProfilePath returns the path of the file with the counters of a flow graph, in the working folder.
func ProfilePath(base string) string { return base + ".profile.json" }

// WriteProfile writes a profile of this machine with the measurement. WriteX writes the kernels.
func (m *Measurement) WriteProfile(w io.Writer) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p := profile.Profile{Schema: profile.Schema, Machine: profile.ThisMachine(), Kernels: []profile.Kernel{},
		GNURadio: raw}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(p)
}

// ReadMeasurement reads the measurement of a flow graph. It returns an error if the flow graph was not measured, or has
// changed since the measurement.
func ReadMeasurement(g *FlowGraph, base string) (*Measurement, error) {
	path := ProfilePath(base)
	f, err := infile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.FlowGraphNotMeasured.Usagef("%s was not measured: %s does not exist; measure it first: "+
			"xopt gnuradio measure %s", g.Path, path, safetext.ShellWord(g.Path))
	}
	if err != nil {
		return nil, fault.Usage(err)
	}
	defer f.Close()
	p, err := profile.Read(path, f)
	if err != nil {
		return nil, fault.Usage(fmt.Errorf("reading the measurement: %w", err))
	}
	m := &Measurement{}
	if p.GNURadio == nil || json.Unmarshal(p.GNURadio, m) != nil || len(m.Figures) != len(m.Blocks) {
		return nil, faults.FlowGraphNotMeasured.Usagef("%s contains no counters of GNU Radio; measure %s first: xopt "+
			"gnuradio measure %s", path, g.Path, safetext.ShellWord(g.Path))
	}
	if m.SHA256 != g.SHA256 {
		return nil, faults.FlowGraphChanged.Usagef("%s changed since it was measured in %s; measure it again: xopt "+
			"gnuradio measure %s", g.Path, filepath.Base(path), safetext.ShellWord(g.Path))
	}
	return m, nil
}
