package apps_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"xopt/bench/apps"
	"xopt/flow/flowtest"
)

// TestList checks that every folder is listed. Each has a README.md, valid X files, a mapping if its README deploys
// one, and Verilog if the list says so.
func TestList(t *testing.T) {
	entries, err := fs.ReadDir(apps.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var folders, names []string
	for _, e := range entries {
		folders = append(folders, e.Name())
	}
	for _, a := range apps.List() {
		names = append(names, a.Name)
		t.Run(a.Name, func(t *testing.T) {
			readme, err := fs.ReadFile(apps.Files(), a.Name+"/README.md")
			if err != nil {
				t.Fatal(err)
			}
			if want := "# " + a.Name + ": "; !strings.HasPrefix(string(readme), want) {
				t.Errorf("README.md does not begin with %q", want)
			}
			verilog, err := fs.Glob(apps.Files(), a.Name+"/*.v")
			if err != nil || (len(verilog) > 0) != a.Verilog {
				t.Errorf("Verilog is %q, error %v; the list says %t", verilog, err, a.Verilog)
			}
			app := "app.x"
			if _, err := fs.Stat(apps.Files(), a.Name+"/"+app); err != nil {
				app = "pipeline.x" // for synthetic
			}
			arches := []string{"arch.x"}
			if a.Verilog {
				arches = append(arches, "hybrid.x")
			}
			for _, arch := range arches {
				flowtest.X{Dir: a.Name, Files: []string{app, arch}, From: apps.Files()}.Program(t)
			}
			flowtest.X{Dir: a.Name, Files: []string{app, "arch.x", "map.x"}, From: apps.Files()}.Program(t)
		})
	}
	slices.Sort(names)
	if !slices.Equal(folders, names) {
		t.Errorf("the list has %q, the folders are %q", names, folders)
	}
}
