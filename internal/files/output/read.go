package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/internal/fault"
)

// target is an existing file that the plan replaces.
type target struct {
	flag, path string
	folder     string // folder of a build; "" for none
	info       os.FileInfo
}

// Data adds a file to the plan that the command may replace regardless of its contents.
func (p *Plan) Data(flag, path string) { p.mayReplace(target{flag: flag, path: path}) }

// Sink adds a file that kernels write to the plan. The command may replace this file regardless of its contents. The
// file may be a pipe or a device. If the file does not exist, its folder must be writable.
func (p *Plan) Sink(flag, path string) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = p.probe(sinkFolder(path)); err == nil && strings.HasSuffix(path, string(filepath.Separator)) {
			err = fault.OutputIsFolder.Errorf("the path ends with / and therefore names a folder: name a file")
		}
	} else if err == nil && info.IsDir() {
		err = fault.OutputIsFolder.Errorf("it is a folder: name a file in it")
	}
	if err != nil {
		p.Refuse(flag, "cannot write %s: %w", path, err)
		return
	}
	p.Data(flag, path)
}

// sinkFolder returns the folder in which a missing file would be created. It follows symbolic links.
func sinkFolder(path string) string {
	if to, err := os.Readlink(path); err == nil {
		if filepath.IsAbs(to) {
			return filepath.Dir(to)
		}
		return filepath.Dir(filepath.Join(filepath.Dir(path), to))
	}
	return filepath.Dir(path)
}

func (p *Plan) mayReplace(t target) {
	var err error
	if t.info, err = os.Stat(t.path); err == nil && t.info.Mode().IsRegular() {
		p.there = append(p.there, t)
	}
}

// Replaces reports whether the plan would replace an existing file.
func (p *Plan) Replaces() bool { return len(p.there) > 0 }

// Read adds an error for each output file that would replace an input file of the command, even under another name.
// --force does not permit the replacement of input files. Call Read after all output files are planned.
func (p *Plan) Read(paths ...string) {
	if len(p.there) == 0 || len(p.errs) > 0 {
		return
	}
	refused := make(map[target]bool)
	built := false
	for _, path := range paths {
		read, err := os.Stat(path)
		if err != nil {
			continue // reading the file reports the error
		}
		for _, t := range p.there {
			if refused[t] || !os.SameFile(t.info, read) {
				continue
			}
			refused[t] = true
			if t.folder != "" {
				if !built {
					p.Refuse(t.flag, "%w", fault.OverwritesInput.Errorf("%s contains files that this command reads, "+
						"such as %s: name another folder", t.folder, path))
				}
				built = true
				continue
			}
			what := "an input file"
			if path != t.path {
				what = path + ", which is an input"
			}
			p.errs = append(p.errs, fault.OverwritesInput.Errorf("%s %s would overwrite %s: name another file", t.flag,
				t.path, what))
		}
	}
}
