// Package configs holds the library of the X language (std.x and fileio.x) and
// the bundled examples, so that the program has them wherever it is installed.
// Each example is a folder with X files and a README.md that says what it is and
// where each of its figures comes from.
package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
)

//go:embed *.x fig7 test1 test2 veritas blastn jpeg init
var files embed.FS

// Library returns the X files that `#include` finds when they are not beside the
// including file.
func Library() fs.FS { return files }

// Init returns the files of a first application, by name: on two cores, or with a kernel that
// may run on an FPGA as well.
func Init(fpga bool) (map[string][]byte, error) {
	found := make(map[string][]byte)
	folders := []string{"init"}
	if fpga {
		folders = append(folders, "init/fpga") // its files replace those of the same names
	}
	for _, folder := range folders {
		entries, err := files.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("reading the first application: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			data, err := files.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("reading the first application: %w", err)
			}
			found[e.Name()] = data
		}
	}
	return found, nil
}

// Example is a bundled example.
type Example struct {
	Name   string // its folder
	About  string // one line
	Eval   []string
	Search []string
}

// Examples lists the bundled examples with the files to evaluate one mapping and
// to search, relative to [Library].
func Examples() []Example {
	return []Example{
		{"fig7", "four kernels on two cores (Beard 2013, Figs 7-11)",
			[]string{"fig7/app.x", "fig7/arch.x", "fig7/map.x"}, []string{"fig7/app.x", "fig7/arch.x"}},
		{"test1", "the average of two streams on three processors and an FPGA (Gayen 2008, ch. 2-3)",
			[]string{"test1/app.x", "test1/arch.x", "test1/map1.x"}, []string{"test1/app.x", "test1/arch.x"}},
		{"test1/array", "the same on arrays, on four cores (Gayen 2008, section 6.1)",
			[]string{"test1/array/app.x", "test1/array/arch.x", "test1/array/map2.x"}, []string{"test1/array/app.x",
				"test1/array/arch.x"}},
		{"test2", "one to four to one, on six processors (Gayen 2008, ch. 5)",
			[]string{"test2/app.x", "test2/arch.x", "test2/map1.x"}, []string{"test2/app.x", "test2/arch.x"}},
		{"veritas", "gamma ray events on processors and an FPGA (Gayen 2008, section 6.2)",
			[]string{"veritas/arch_slow.x", "veritas/mapB2.x"}, []string{"veritas/pipes2.x", "veritas/arch_slow.x"}},
		{"blastn", "DNA comparison on an FPGA (Lancaster 2011, ch. 7)",
			[]string{"blastn/run1.x", "blastn/arch.x", "blastn/map.x"}, []string{"blastn/run1.x", "blastn/arch.x"}},
		{"jpeg", "JPEG encoding on 12 cores and 2 FPGAs (Beard 2013, Fig. 1 and Table 2); figures assumed",
			nil, []string{"jpeg/app.x", "jpeg/arch.x"}},
	}
}
