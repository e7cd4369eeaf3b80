package configs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
)

// TestExamples reads every embedded example, for searching and, if it has a mapping, for evaluating. There must be no
// missing figures or warnings.
func TestExamples(t *testing.T) {
	for _, e := range configs.Examples() {
		for _, c := range []struct {
			what    string
			files   []string
			purpose design.Purpose
		}{{"search", e.Search, design.ForSearch}, {"eval", e.Eval, design.ForMapping}} {
			if len(c.files) == 0 {
				continue
			}
			t.Run(e.Name+" "+c.what, func(t *testing.T) {
				x := flowtest.X{Files: c.files, From: configs.ExampleFiles()}
				d := x.Design(t, design.Options{Purpose: c.purpose})
				if len(d.Warnings) > 0 {
					t.Errorf("warnings: %q", d.Warnings)
				}
				if c.purpose == design.ForMapping {
					flowtest.Solve(t, d.Problem, d.Mapping)
				}
			})
		}
		if _, err := fs.Stat(configs.ExampleFiles(), e.Name+"/README.md"); errors.Is(err, fs.ErrNotExist) &&
			!strings.Contains(e.Name, "/") {
			t.Errorf("example %s has no README.md", e.Name)
		}
	}
}

// TestEveryFigureSaysWhereItIsFrom checks that every figure of an example has a `from`.
func TestEveryFigureSaysWhereItIsFrom(t *testing.T) {
	for _, e := range configs.Examples() {
		prog := flowtest.X{Files: e.Search, From: configs.ExampleFiles()}.Program(t)
		words := []string{"measured", "published", "assumed"}
		check := func(pos xlang.Pos, from string) {
			word, _, _ := strings.Cut(strings.ReplaceAll(from, ":", ""), " ")
			if !slices.Contains(words, word) {
				t.Errorf("%s:%d: from=%q begins with none of %q", pos.File, pos.Line, from, words)
			}
		}
		for _, f := range prog.Figures {
			check(f.Pos, f.Attrs["from"].Text)
		}
		for _, r := range prog.Routes {
			check(r.Pos, r.Attrs["from"].Text)
		}
		for _, l := range prog.Links {
			check(l.Pos, l.Config["from"].Text)
		}
	}
}

// TestEveryFileIsUsed checks that the README of an example names each of its X files.
func TestEveryFileIsUsed(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".x") {
			return err
		}
		parts := strings.Split(filepath.ToSlash(path), "/") // examples/NAME/... or init/...
		folder := parts[0]
		switch folder {
		case "lib":
			return nil
		case "examples":
			folder += "/" + parts[1]
		}
		readme, err := os.ReadFile(folder + "/README.md")
		if err != nil {
			return err
		}
		if !strings.Contains(string(readme), filepath.Base(path)) {
			t.Errorf("%s/README.md does not mention %s", folder, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestJpegArea checks that the hardware of all three channels of the jpeg example does not fit one FPGA, but fits two
// (configs/examples/beard-jpeg/README.md).
func TestJpegArea(t *testing.T) {
	d := loadWith(t, design.Options{}, nil, "beard-jpeg", "app.x", "arch.x")
	fpga := slices.IndexFunc(d.Problem.Architecture.Resources,
		func(r flow.Resource) bool { return r.Sharing.Rule == flow.AreaOnly })
	sum := 0.0
	for k := range d.Problem.Application.Kernels {
		sum += d.Problem.Figures[k][fpga].Area[flow.DSP]
	}
	if have := d.Problem.Architecture.Resources[fpga].Area[flow.DSP]; sum <= have || sum > 2*have {
		t.Errorf("all hardware kernels need %g DSP slices, one FPGA offers %g", sum, have)
	}
}

// TestVeritasArea checks that three pipes fit the FPGA and four do not (Gayen 2008, section 6.2.4), with Chopper or
// without.
func TestVeritasArea(t *testing.T) {
	for _, c := range []struct {
		pipes   string
		chopper bool
		fits    bool
	}{{"3", true, true}, {"3", false, true}, {"4", true, false}, {"4", false, false}} {
		d := loadWith(t, design.Options{}, map[string]string{"top.pipes": c.pipes},
			"gayen-veritas", "pipes2.x", "arch.x")
		m := &flow.Mapping{}
		for k, kernel := range d.Problem.Application.Kernels {
			place := slices.IndexFunc(d.Problem.Architecture.Resources,
				func(r flow.Resource) bool { return r.Name == "fpga" })
			if !d.Problem.Figures[k][place].Available || kernel.Block == "Chopper" && !c.chopper {
				place = 0
			}
			m.Place = append(m.Place, place)
		}
		if _, err := flow.NewNetwork(d.Problem, m); (err == nil) != c.fits {
			t.Errorf("%s pipes, Chopper on the FPGA %t: error is %v, want it to fit: %t", c.pipes, c.chopper, err,
				c.fits)
		}
	}
}
