// Package configs contains the X code of the program. The folder lib is the library of the X language (std.x and
// fileio.x). The folder examples contains the published figures of the papers, and init contains first applications.
// Each example is a folder with a README.md that cites the source of each figure.
//
// The package imports no other package of xopt. The tests compare the examples with the results in the papers.
package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
)

//go:embed lib examples init
var files embed.FS

// Library returns the X files that `#include` finds if they are not in the folder of the including file.
func Library() fs.FS { return sub("lib") }

// ExampleFiles returns the bundled examples, each in a folder with its name.
func ExampleFiles() fs.FS { return sub("examples") }

func sub(folder string) fs.FS {
	f, _ := fs.Sub(files, folder) // fails only for an invalid path, and the folders above are valid
	return f
}

// Init returns the files of a first application by name: on two cores, or with a kernel that may also run on an FPGA.
func Init(fpga bool) (map[string][]byte, error) {
	found := make(map[string][]byte)
	folders := []string{"init"}
	if fpga {
		folders = append(folders, "init/fpga") // its files replace files with the same names
	}
	for _, folder := range folders {
		entries, err := files.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("reading the built-in files of xopt init: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			data, err := files.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("reading the built-in files of xopt init: %w", err)
			}
			found[e.Name()] = data
		}
	}
	return found, nil
}

// Example is a published application and machine: figures, without kernels to run.
type Example struct {
	Name  string // name of its folder
	About string // one-line description, with the paper
	// Eval lists the files to predict one mapping, nil if the paper has none. Search lists the files to search. Both
	// are relative to ExampleFiles.
	Eval, Search []string
}

// Examples returns the published examples. A name with a slash is a variant of the preceding example.
func Examples() []Example {
	in := func(folder string, names ...string) []string {
		paths := make([]string, len(names))
		for i, name := range names {
			paths[i] = folder + "/" + name
		}
		return paths
	}
	const fig7, test1, array, test2 = "beard-fig7", "gayen-test1", "gayen-test1/array", "gayen-test2"
	const veritas, blastn, jpeg, h263 = "gayen-veritas", "lancaster-blastn", "beard-jpeg", "stuijk-h263"
	return []Example{
		{fig7, "four kernels on two cores (Beard 2013, Figs 7-11)",
			in(fig7, "app.x", "arch.x", "map.x"), in(fig7, "app.x", "arch.x")},
		{jpeg, "JPEG encoding on 12 cores and 2 FPGAs (Beard 2013, Fig. 1 and Table 2); figures assumed",
			nil, in(jpeg, "app.x", "arch.x")},
		{test1, "the average of two streams on three processors and an FPGA (Gayen 2008, ch. 2-3)",
			in(test1, "app.x", "arch.x", "map1.x"), in(test1, "app.x", "arch.x")},
		{array, "the average of two streams of arrays, on four cores (Gayen 2008, section 6.1)",
			in(array, "app.x", "arch.x", "map2.x"), in(array, "app.x", "arch.x")},
		{test2, "one kernel that feeds four, which feed one, on six processors (Gayen 2008, ch. 5)",
			in(test2, "app.x", "arch.x", "map1.x"), in(test2, "app.x", "arch.x")},
		{veritas, "gamma ray events on processors and an FPGA (Gayen 2008, section 6.2)",
			in(veritas, "arch_slow.x", "mapB2.x"), in(veritas, "pipes2.x", "arch_slow.x")},
		{blastn, "DNA comparison on an FPGA (Lancaster 2011, ch. 7)",
			in(blastn, "run1.x", "arch.x", "map.x"), in(blastn, "run1.x", "arch.x")},
		{h263, "H.263 decoding as static dataflow, in the format of SDF3 (Stuijk 2008)",
			in(h263, "app.x", "arch.x", "map.x"), in(h263, "app.x", "arch.x")},
	}
}
