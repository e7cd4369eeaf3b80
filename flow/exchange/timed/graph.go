// Package timed describes graphs whose kernels have measured times, and reads them from DOT and CSV files. The packages
// gstreamer, vitis and caret in flow/exchange read files of other tools and produce the same type of graph.
package timed

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Graph is a graph of kernels with times.
type Graph struct {
	Name, File string
	Kernels    []Kernel
	Edges      []Edge
	Resources  []Resource
	Notes      []fault.Note
	// Place returns the file and the line of the first line that contains the identifiers.
	Place func(ids ...string) string
}

// Kernel is a node of a [Graph].
type Kernel struct {
	Name string
	// Host is the resource on which the kernel runs in the file, such as "cpu" or "cpu[2]"; "" for none.
	Host  string
	Times map[string]Time // by name of the resource
}

// Edge leads from one kernel to another.
type Edge struct {
	Name             string // name of the edge; "" for none
	From, To         int
	FromPort, ToPort string // names of the ports; "" for none
	Emits, Consumes  int64  // elements that a firing of the writer sends, and a firing of the reader consumes
	Initial          int64  // elements at the start
	Bytes            int64  // size of an element; 0 if unknown
	Buffer           int64  // capacity in elements; 0 if unknown
}

// Resource is a core, a type of cores, or an FPGA.
type Resource struct {
	Name string
	// Area is the area of an FPGA by its name in X (lut, ff, bram, dsp); nil for cores.
	Area map[string]int64
	// Type is true if the resource is a type of cores, with one core for each kernel.
	Type bool
}

// Time is the time of a firing on one resource.
type Time struct {
	Seconds float64
	Half    float64          // half of the 95 % confidence interval in s; 0 if unknown
	SCV     float64          // squared coefficient of variation; NaN if unknown
	Area    map[string]int64 // area that the kernel occupies on an FPGA
	From    string           // origin, such as "measured: imported from times.csv"
}

// Kernel returns the index of a kernel, or an error if it is unknown. place is the reference to the kernel, for the
// error.
func (g *Graph) Kernel(place, name string) (int, error) {
	k := slices.IndexFunc(g.Kernels, func(k Kernel) bool { return k.Name == name })
	if k < 0 {
		var names []string
		for i := range g.Kernels {
			names = append(names, g.Kernels[i].Name)
		}
		return -1, faults.UnknownKernel.Errorf("%s: unknown kernel %.60q; %s contains %s (correct the name, or delete "+
			"the line)", place, name, g.File, strings.Join(units.First(names, maxListed, "and %d more"), ", "))
	}
	return k, nil
}

// maxListed limits the number of names in an error.
const maxListed = 8

// Resource returns the resource with the given name, and adds the resource to the graph if necessary.
func (g *Graph) Resource(name string) *Resource {
	r := slices.IndexFunc(g.Resources, func(r Resource) bool { return r.Name == name })
	if r < 0 {
		r = len(g.Resources)
		g.Resources = append(g.Resources, Resource{Name: name})
	}
	return &g.Resources[r]
}

// Imported returns the origin of a figure from a file.
func Imported(origin, file string) string {
	return fmt.Sprintf("%s: imported from %s", origin, filepath.Base(file))
}
