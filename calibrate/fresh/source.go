package fresh

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"xopt/deploy/program"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/files/infile"
)

// MissingError reports a missing source file.
type MissingError struct{ Path string }

// Error names the missing file.
func (e *MissingError) Error() string { return e.Path + " does not exist" }

// Of returns the current sources of a kernel on a resource, without the compiler and the machine code; nil if the
// kernel has no source for this resource.
func Of(p *xlang.Program, kernel, resource int) (*profile.Source, error) {
	k := &p.Kernels[kernel]
	impl := p.Implementation(k.Block, p.Ancestors(p.Resources[resource].Platform))
	if impl == nil {
		return nil, nil
	}
	s := &profile.Source{Config: configs(k), Ports: ports(k)}
	var err error
	if design.IsFPGA(p, resource) {
		f, ferr := xsim.NewFPGA(p, resource)
		if ferr != nil {
			return nil, ferr
		}
		s.Flags = strings.TrimSpace(fmt.Sprintf("top=%s family=%s device=%s", impl.Attrs["top"].Text, f.Family,
			f.Device))
		own, oerr := design.OwnClock(impl)
		if oerr != nil {
			return nil, oerr
		}
		if own > 0 { // the area includes the queues between the clocks, but the rate is in cycles
			s.Flags += " clock=its own"
		}
		s.Files, err = files(impl, impl.Sources(), nil)
	} else {
		own := strings.Fields(impl.Attrs["flags"].Text)
		s.Flags = strings.Join(slices.Concat(own, strings.Fields(impl.Attrs["ldflags"].Text)), " ")
		s.Files, err = files(impl, []string{impl.Source()}, foldersOf(impl))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// configs returns the values of a kernel's configs, except elements (the length of a run) and output (the destination
// of its results).
func configs(k *xlang.Kernel) map[string]string {
	values := make(map[string]string)
	for name, v := range k.Config {
		if name != "elements" && name != "output" {
			values[name] = v.Text
		}
	}
	return values
}

// ports returns a hash of a kernel's inputs, outputs and joins, and of its preload (once).
func ports(k *xlang.Kernel) string {
	h := sha256.New()
	for _, list := range [][]xlang.Port{k.Inputs, k.Outputs} {
		fmt.Fprintf(h, "%d ports\n", len(list))
		for _, p := range list {
			fmt.Fprintf(h, "%s %s %g\n", p.Name, p.Type, p.ElementBytes)
		}
	}
	for _, j := range k.Joins {
		fmt.Fprintf(h, "join %v %v\n", j.Ports, j.Counts)
	}
	fmt.Fprintf(h, "once %v\n", k.Once)
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// includeFolders returns the absolute folders of the -I flags.
func includeFolders(flags []string) []string {
	var folders []string
	for i, f := range flags {
		folder, ok := strings.CutPrefix(f, "-I")
		if ok && folder == "" && i+1 < len(flags) {
			folder = flags[i+1]
		}
		if ok && filepath.IsAbs(folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// maxSource is the maximum number of bytes to read from a source file.
const maxSource = 64 << 20

// files returns the hashes of sources and their quoted includes. It ignores missing includes, because they may be
// generated; otherwise, the compiler reports them.
func files(impl *xlang.Impl, sources, folders []string) ([]profile.SourceFile, error) {
	var list []profile.SourceFile
	seen := make(map[string]bool)
	add := func(path string) ([]string, error) {
		if seen[path] {
			return nil, nil
		}
		seen[path] = true
		text, err := read(path)
		if err != nil {
			return nil, err
		}
		list = append(list, profile.SourceFile{Path: relative(impl.Dir, path), SHA256: fmt.Sprintf("%x",
			sha256.Sum256(text))})
		return includes(path, text, folders, quoted), nil
	}
	for open := slices.Clone(sources); len(open) > 0; {
		more, err := add(open[0])
		if err != nil {
			return nil, err
		}
		open = append(open[1:], more...)
	}
	return list, nil
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{path}
	case err != nil:
		return nil, fmt.Errorf("reading a source: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxSource:
		return nil, fmt.Errorf("%s is not a source file", path)
	}
	text, err := infile.Read(path, maxSource)
	if err != nil {
		return nil, fmt.Errorf("reading a source: %w", err)
	}
	return text, nil
}

func relative(dir, path string) string {
	if r, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(path)
}

var (
	quoted = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)
	// anyQuoted matches the quoted includes of C and of Verilog.
	anyQuoted = regexp.MustCompile("(?m)^[ \\t]*[#`][ \\t]*include[ \\t]*\"([^\"\\n]+)\"")
)

// foldersOf returns the include folders in the flags of an implementation; nil for invalid flags, which the compiler
// reports.
func foldersOf(impl *xlang.Impl) []string {
	flags, err := program.Flags(impl, "flags")
	if err != nil {
		return nil
	}
	return includeFolders(flags)
}

// Files returns the readable source files of a program's implementations, and all their quoted includes.
func Files(p *xlang.Program) []string {
	var list []string
	seen := make(map[string]bool)
	for i := range p.Impls {
		impl := &p.Impls[i]
		if impl.Attrs["src"].Text == "" {
			continue
		}
		folders := foldersOf(impl)
		for open := impl.Sources(); len(open) > 0; open = open[1:] {
			path := open[0]
			if seen[path] {
				continue
			}
			seen[path] = true
			if text, err := read(path); err == nil {
				list, open = append(list, path), append(open, includes(path, text, folders, anyQuoted)...)
			}
		}
	}
	return list
}

// includes returns the existing files that a source includes in quotes.
func includes(path string, text []byte, folders []string, quoted *regexp.Regexp) []string {
	if !bytes.Contains(text, []byte("include")) {
		return nil
	}
	var list []string
	for _, m := range quoted.FindAllSubmatch(text, -1) {
		for _, dir := range append([]string{filepath.Dir(path)}, folders...) {
			at := filepath.Join(dir, filepath.FromSlash(string(m[1])))
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
				list = append(list, at)
				break
			}
		}
	}
	return list
}
