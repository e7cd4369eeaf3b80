// Package apps contains applications with real kernels in C, some also in Verilog. Each application is a folder with X
// files, kernel sources and a README.md. The README.md describes the application, cites its paper and explains how to
// run it.
//
// The tests deploy each application in many mappings, because its output must not depend on the mapping. The benchmarks
// measure these applications, and xopt can write them to a folder for the user.
package apps

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"xopt/internal/files/scratch"
)

//go:embed agc blastn broadcast chain des iir jpeg laplace queens queue ring synthetic test1 veritas
var files embed.FS

// Application describes a bundled application.
type Application struct {
	Name    string // name of the folder
	About   string // one-line description that cites the paper
	Verilog bool   // some kernels also exist in Verilog; hybrid.x is a machine for these kernels
}

// List returns the applications, those most suitable for new users first.
func List() []Application {
	return []Application{
		{"jpeg", "baseline JPEG encoding in 15 kernels (Beard 2013, Fig. 1)", true},
		{"des", "DES and triple DES, a kernel for each round (Beard 2013, section 4.2)", true},
		{"blastn", "DNA sequence comparison in the stages of BLASTN (Lancaster 2011, ch. 7)", true},
		{"laplace", "Laplace's equation by random walks (Lancaster 2011, section 6.1)", false},
		{"veritas", "telescope pulses, convolved by FFT (Gayen 2008, section 6.2)", true},
		{"test1", "the average of two streams (Gayen 2008, section 2.1)", true},
		{"broadcast", "one port that feeds three kernels", true},
		{"queens", "N queens by back-tracking, four cores (Koehler 2007, chapter 5)", true},
		{"agc", "automatic gain control: a loop between kernels", false},
		{"iir", "a recursive filter, with its feedback on an edge (Schroeder 1962)", true},
		{"synthetic", "kernels with given service times, gains and routing (Beard 2013, section 4.5)", false},
		{"chain", "eleven kernels that forward their input (Lancaster 2011, section 4.7.2)", false},
		{"queue", "a queue over a link that moves bulks (Lancaster 2011, section 5.2)", true},
		{"ring", "two kernels and one edge, to measure the throughput of the edge", false},
	}
}

// Files returns the files of all applications, each application in a folder with its name.
func Files() fs.FS { return files }

// Unpack writes the files of an application to a new temporary folder and returns its path. The caller removes the
// folder.
func Unpack(app string) (string, error) {
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return "", fmt.Errorf("creating a folder for %s: %w", app, err)
	}
	sub, err := fs.Sub(files, app)
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpacking %s: %w", app, err), os.RemoveAll(dir))
	}
	return dir, nil
}

// WorkSpeed returns the speed of this processor in rounds per microsecond. A round, the unit of work of the synthetic
// kernels, is a multiplication that depends on the previous round.
func WorkSpeed() float64 {
	const rounds, tries = 200_000, 9
	best := time.Duration(1 << 62)
	x := uint64(1)
	for range tries {
		start := time.Now()
		for range rounds {
			x ^= x >> 27
			x *= 0x2545f4914f6cdd1d
		}
		best = min(best, time.Since(start))
	}
	if x == 0 { // never true, but the compiler cannot omit the rounds
		best++
	}
	return rounds / (best.Seconds() * 1e6)
}
