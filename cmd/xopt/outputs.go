package main

import (
	"path/filepath"
	"strings"

	"xopt/calibrate/fresh"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/report/page"
	"xopt/flow/xlang"
	"xopt/internal/files/output"
)

// baseName returns the base name of outputs: the first file without its folder and extension.
func baseName(files []string) string { return strings.TrimSuffix(filepath.Base(files[0]), ".x") }

// plan returns an empty plan of outputs. Only processes of a campaign may write into the folders of campaigns.
func (a *app) plan() *output.Plan {
	p := &output.Plan{Force: a.settings.Force, Made: &a.made}
	if !a.role.Sealed() {
		p.Closed = campaign.Closed
	}
	return p
}

// place returns the destination of pages.
func (a *app) place() page.Place { return page.Place(a.settings.Report) }

// planReport adds pages with their results to the plan.
func (a *app) planReport(p *output.Plan, names ...string) {
	a.place().Plan(p, map[string]output.Kind{page.Ending: output.Page(), ".result.json": output.Result()}, names...)
}

// planPage adds a page without a result to the plan.
func (a *app) planPage(p *output.Plan, name string) {
	a.place().Plan(p, map[string]output.Kind{page.Ending: output.Page()}, name)
}

// keepsRead returns an error if an output of the plan or of a kernel is also an input. Inputs are the X files, the
// sources and the files that they include, the profile, the input data, and others. data is the file that sinks write
// instead of their config output; "" for none.
func (a *app) keepsRead(plan *output.Plan, p *xlang.Program, runs bool, data string, others ...string) error {
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if name := k.Config["output"].Text; runs && name != "" && (data == "" || len(k.Outputs) > 0) {
			plan.Data(k.Name+".output", name)
		}
	}
	if !plan.Replaces() {
		return plan.Err()
	}
	reads := append([]string{a.settings.Profile}, others...)
	for _, f := range p.Files {
		reads = append(reads, f.Path)
	}
	reads = append(reads, fresh.Files(p)...)
	for i := range p.Kernels {
		reads = append(reads, p.Kernels[i].Config["input"].Text)
	}
	plan.Read(reads...)
	return plan.Err()
}
