package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"xopt/internal/output"
)

// outputs are the files that a search writes, by the name that they share.
type outputs struct{ name string }

// baseName is what outputs are called by: the first file, without folder and ending.
func baseName(files []string) string { return strings.TrimSuffix(filepath.Base(files[0]), ".x") }

func (o outputs) result() string { return o.name + ".result.json" }

func (o outputs) mapping(candidate int) string {
	return fmt.Sprintf("%s.%d.map.x", o.name, candidate)
}

func (o outputs) checkpoint() string { return o.name + ".checkpoint.json" }

// plan plans the files of a search.
func (o outputs) plan(p *output.Plan, top int) error {
	if info, err := os.Stat(o.name); strings.HasSuffix(o.name, string(filepath.Separator)) || err == nil && info.IsDir() {
		return &usageError{fmt.Errorf("-o %s is a folder: give the name that the files there share, such as -o %s", o.name, filepath.Join(o.name, "best"))}
	}
	p.File("-o", o.result(), output.Result())
	for i := 1; i <= top; i++ {
		p.File("-o", o.mapping(i), output.Map())
	}
	p.File("-o", o.checkpoint(), output.Checkpoint())
	return nil
}

// stale lists map files that an earlier search of the same name left behind,
// beyond the number written now.
func (o outputs) stale(written int) []string {
	var left []string
	for i := written + 1; output.Wrote(o.mapping(i), output.Map()); i++ {
		left = append(left, o.mapping(i))
	}
	return left
}

// forceFlag declares that what others wrote may be replaced.
func (a *app) forceFlag(f *pflag.FlagSet) {
	f.BoolVar(&a.force, "force", false, "replace files that xopt did not write, too")
}

// plan begins the list of what a command will write.
func (a *app) plan() *output.Plan { return &output.Plan{Force: a.force} }

// planned is an error where something of a plan cannot be written.
func planned(p *output.Plan) error {
	if err := p.Err(); err != nil {
		return &usageError{err}
	}
	return nil
}

// planReport plans what --report asks for, under some names.
func (a *app) planReport(p *output.Plan, names ...string) {
	if a.settings.Report == "" {
		return
	}
	files := make(map[string]output.Kind)
	for _, name := range names {
		files[name+".html"], files[name+".result.json"] = output.Page(), output.Result()
	}
	p.Into("--report", a.settings.Report, files)
}
