package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/calibrate/fresh"
	"xopt/cmd/internal/campaign"
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

func (a *app) planReport(p *output.Plan, names ...string) {
	if a.settings.Report == "" {
		return
	}
	if len(names) > 1 && a.reportIsFile() {
		p.Refuse("--report", "%s names one page, but there are %d pages; name a folder", a.settings.Report, len(names))
		return
	}
	files := make(map[string]output.Kind)
	folder := ""
	for _, name := range names {
		folder, name = a.reportAt(name)
		files[name+".html"], files[name+".result.json"] = output.Page(), output.Result()
	}
	if a.reportIsFile() { // a page needs an existing folder; a folder is created
		for _, name := range slices.Sorted(maps.Keys(files)) {
			p.File("--report", filepath.Join(folder, name), files[name])
		}
		return
	}
	p.Into("--report", folder, files)
}

// reportIsFile reports whether --report names a page, such as out/best.html, rather than a folder.
func (a *app) reportIsFile() bool {
	info, err := os.Stat(a.settings.Report)
	return strings.HasSuffix(a.settings.Report, pageEnding) && (err != nil || !info.IsDir())
}

// reportAt returns the folder of --report and the base name of its files. If --report names a page, this is the base
// name of the page.
func (a *app) reportAt(name string) (folder, base string) {
	if a.reportIsFile() {
		folder, base = filepath.Split(strings.TrimSuffix(a.settings.Report, pageEnding))
		return cmp.Or(folder, "."), base
	}
	return a.settings.Report, name
}

const pageEnding = ".html"

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
