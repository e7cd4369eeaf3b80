package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// SearchFiles are the files that a search writes. They share a base name.
type SearchFiles struct{ Name string }

// Result returns the path of the result file.
func (o SearchFiles) Result() string { return o.Name + ".result.json" }

// Mapping returns the path of a candidate's map file. The first candidate is 1.
func (o SearchFiles) Mapping(candidate int) string {
	return fmt.Sprintf("%s.%d.map.x", o.Name, candidate)
}

// Mappings returns the paths of n map files as a text: the first and the last path.
func (o SearchFiles) Mappings(n int) string {
	if n == 1 {
		return o.Mapping(1)
	}
	return o.Mapping(1) + " … " + o.Mapping(n)
}

// Checkpoint returns the path of the checkpoint of an unfinished search.
func (o SearchFiles) Checkpoint() string { return o.Name + ".checkpoint.json" }

// Plan adds the files of a search with at most top candidates to a plan. It returns an error if the base name is a
// folder.
func (o SearchFiles) Plan(p *output.Plan, top int) error {
	if info, err := os.Stat(o.Name); strings.HasSuffix(o.Name, string(filepath.Separator)) || err == nil &&
		info.IsDir() {
		return fault.OutputIsFolder.Usagef("-o %s is a folder; set a base name for the files, such as -o %s", o.Name,
			filepath.Join(o.Name, "best"))
	}
	p.File("-o", o.Result(), output.Result())
	for i := 1; i <= top; i++ {
		p.File("-o", o.Mapping(i), output.Map())
	}
	p.File("-o", o.Checkpoint(), output.Checkpoint())
	return nil
}

// MapText is the path and the content of a map file.
type MapText struct {
	Path string
	Text []byte
}

// Save writes the result file, and then the map files that it names.
func (o SearchFiles) Save(r *result.Result, maps []MapText) error {
	if err := output.WriteFile(o.Result(), report.Encoder(r)); err != nil {
		return err // without the result file, its map files would seem to belong to an earlier search
	}
	var errs []error
	for _, m := range maps {
		errs = append(errs, output.WriteFile(m.Path, func(w io.Writer) error { _, err := w.Write(m.Text); return err }))
	}
	return errors.Join(errs...)
}

// Stale lists map files that an earlier search with the same name wrote and that this search does not replace.
func (o SearchFiles) Stale(written int) []string {
	var left []string
	for i := written + 1; output.Wrote(o.Mapping(i), output.Map()); i++ {
		left = append(left, o.Mapping(i))
	}
	return left
}
