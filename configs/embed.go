// Package configs holds the library of the X language (lib: std.x and fileio.x) and
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

//go:embed lib examples init
var files embed.FS

// Library returns the X files that `#include` finds when they are not beside the
// including file.
func Library() fs.FS { return sub("lib") }

// ExampleFiles returns the bundled examples, each in a folder of its name.
func ExampleFiles() fs.FS { return sub("examples") }

func sub(folder string) fs.FS {
	f, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // the name is not a path: none of those above
	}
	return f
}

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
// to search, relative to [ExampleFiles].
func Examples() []Example {
	return []Example{
		{"beard-fig7", "four kernels on two cores (Beard 2013, Figs 7-11)",
			[]string{"beard-fig7/app.x", "beard-fig7/arch.x", "beard-fig7/map.x"}, []string{"beard-fig7/app.x", "beard-fig7/arch.x"}},
		{"gayen-test1", "the average of two streams on three processors and an FPGA (Gayen 2008, ch. 2-3)",
			[]string{"gayen-test1/app.x", "gayen-test1/arch.x", "gayen-test1/map1.x"}, []string{"gayen-test1/app.x", "gayen-test1/arch.x"}},
		{"gayen-test1/array", "the same on arrays, on four cores (Gayen 2008, section 6.1)",
			[]string{"gayen-test1/array/app.x", "gayen-test1/array/arch.x", "gayen-test1/array/map2.x"}, []string{"gayen-test1/array/app.x",
				"gayen-test1/array/arch.x"}},
		{"gayen-test2", "one to four to one, on six processors (Gayen 2008, ch. 5)",
			[]string{"gayen-test2/app.x", "gayen-test2/arch.x", "gayen-test2/map1.x"}, []string{"gayen-test2/app.x", "gayen-test2/arch.x"}},
		{"gayen-veritas", "gamma ray events on processors and an FPGA (Gayen 2008, section 6.2)",
			[]string{"gayen-veritas/arch_slow.x", "gayen-veritas/mapB2.x"}, []string{"gayen-veritas/pipes2.x", "gayen-veritas/arch_slow.x"}},
		{"lancaster-blastn", "DNA comparison on an FPGA (Lancaster 2011, ch. 7)",
			[]string{"lancaster-blastn/run1.x", "lancaster-blastn/arch.x", "lancaster-blastn/map.x"}, []string{"lancaster-blastn/run1.x", "lancaster-blastn/arch.x"}},
		{"beard-jpeg", "JPEG encoding on 12 cores and 2 FPGAs (Beard 2013, Fig. 1 and Table 2); figures assumed",
			nil, []string{"beard-jpeg/app.x", "beard-jpeg/arch.x"}},
	}
}
