package calibrate

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"xopt/calibrate/fresh"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
)

// method is the version of the measurement method for kernels. A new version invalidates the figures in earlier
// profiles.
const method = "4"

// sampleBytes is the number of bytes at the start of each input's data that identify the data set.
const sampleBytes = 4096

// sourceOf returns the identity of a kernel's sources: files, flags, configs, data, and machine code.
func sourceOf(d *design.Design, k int, prog *program.Program) (*profile.Source, error) {
	kernel := &d.Program.Kernels[k]
	s, err := fresh.Of(d.Program, k, d.Mapping.Place[k])
	if err != nil || s == nil {
		return nil, err
	}
	object, err := os.ReadFile(prog.Object(kernel.Block))
	if err != nil {
		return nil, fmt.Errorf("reading the machine code of block %s: %w", kernel.Block, err)
	}
	s.Compiler, s.Object = prog.CompilerVersion(), fresh.Object(object)
	return s, nil
}

// kernelHash returns a hash of all inputs of a kernel's figures: its machine code, configs, input data, the runtime,
// and the machine. code is the size of the machine code in bytes.
func kernelHash(d *design.Design, k int, prog *program.Program, files []string, o Options) (hash string, code int64,
	err error) {
	kernel := &d.Program.Kernels[k]
	path := prog.Object(kernel.Block)
	object, err := os.ReadFile(path)
	if err != nil {
		return "", 0, fmt.Errorf("reading the machine code of block %s: %w", kernel.Block, err)
	}
	h := sha256.New()
	m := profile.ThisMachine()
	fmt.Fprintf(h, "%s %s %q %d %q %q %g %q %q\n", method, program.RuntimeVersion(), m.CPU, m.Cores, m.Kernel,
		prog.CompilerVersion(), o.Precision, o.Input, o.Sink)
	h.Write(object)
	for _, name := range slices.Sorted(maps.Keys(kernel.Config)) {
		fmt.Fprintf(h, "%s=%q,%v\n", name, kernel.Config[name].Text, kernel.Config[name].Number)
	}
	for e, edge := range d.Program.Edges {
		if edge.To != k || files[e] == "" {
			continue
		}
		if err := hashBeginning(h, files[e]); err != nil {
			return "", 0, fmt.Errorf("reading the data of edge %s: %w", edge.Name, err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), codeBytes(path), nil
}

func hashBeginning(h io.Writer, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.CopyN(h, f, sampleBytes); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// codeBytes returns the size of the executable sections of an object file, or 0 if the file is not ELF.
func codeBytes(path string) int64 {
	f, err := elf.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	size := int64(0)
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			size += int64(s.Size)
		}
	}
	return size
}

// kept returns the entry of an earlier profile with the given hash, if it does not have to be measured again; else nil.
func kept(p *profile.Profile, name, platform, hash string) *profile.Kernel {
	if p == nil {
		return nil
	}
	for i := range p.Kernels {
		if k := &p.Kernels[i]; k.Instance == name && k.Platform == platform && k.Hash == hash && k.ServiceRate != nil {
			return k
		}
	}
	return nil
}
