// Package unseen generates applications that xopt was not tuned on, and measures the quality of xopt's predictions for
// them. A seed selects the kind of application and 4 to 20 kernels. Kernels are vector filters, transforms, matrices,
// tables in and beyond caches, pointer chasing, sorting, hashes, tokenizers, coders, aggregators, and file input and
// output. The kernels form pipelines, parallel copies, branches that join again and side branches, with random element
// sizes and rates. The package writes each application as X files and C, as a user would. It then calibrates the
// application, searches for mappings, runs them, and compares the runs with the predictions.
//
// The folder blocks contains the sources of the kernels. Tests compare the output of every application with plain
// functions in Go.
package unseen

import "fmt"

// Type is the element type of the arrays on an edge.
type Type int

// The element types.
const (
	Bytes Type = iota
	Words
	Samples
)

// String returns the name of the type in block names.
func (t Type) String() string { return [...]string{"Bytes", "Words", "Samples"}[t] }

// Word returns the name of the type in X.
func (t Type) Word() string { return [...]string{"UNSIGNED8", "UNSIGNED32", "FLOAT32"}[t] }

// Size returns the size of one number in bytes.
func (t Type) Size() int { return [...]int{1, 4, 4}[t] }

// Kind is the kind of an application. It determines the sources and the kernels to draw from.
type Kind string

// The kinds of applications.
const (
	Vector  Kind = "vector"  // arrays of 16 numbers or more: filters, tables, sorting, parsing, compression
	Text    Kind = "text"    // state machines that read text byte by byte
	Records Kind = "records" // single bytes, and records of 2 to 64 bytes
	Uneven  Kind = "uneven"  // all of these kinds, with a kernel that has hundreds of times the work of other kernels
	Mixed   Kind = "mixed"   // all of these kinds
)

// App is a generated application.
type App struct {
	Seed    uint64
	Kind    Kind
	Kernels []Kernel
	Edges   []Edge
	Input   *Input // the file that its sources read; nil for none
	// Flags are the compiler flags by kind of block.
	Flags map[string]string
}

// Kernel is an instance of a block.
type Kernel struct {
	Name  string
	Block string // kind of block: the name of its files
	// Typed is true if the block has a version for each element type. Type is the type in use.
	Typed    bool
	Type     Type
	Settings []Setting
}

// Input is a file that a source reads.
type Input struct {
	Bytes int
	Text  bool // lines of words, numbers, quoted text, symbols and comments; otherwise runs of bytes
}

// Setting is a config of a kernel.
type Setting struct {
	Name  string
	Value float64
}

// Setting returns the value of a config that the application sets, or 0 if the application does not set the config.
func (k *Kernel) Setting(name string) float64 {
	for _, s := range k.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// BlockName returns the name of the kernel's block in X.
func (k *Kernel) BlockName() string {
	if k.Typed {
		return k.Block + k.Type.String()
	}
	return k.Block
}

// Edge connects two ports. Indices are from 0 for ports of an array, and -1 for other ports. Several edges from one
// output are a broadcast.
type Edge struct {
	From      int
	FromPort  string
	FromIndex int
	To        int
	ToPort    string
	ToIndex   int
}

// port returns a port as X code.
func port(kernel, name string, index int) string {
	if index < 0 {
		return kernel + "." + name
	}
	return fmt.Sprintf("%s.%s[%d]", kernel, name, index+1)
}
