// Package unseen generates random applications that were not used to develop xopt, and measures the accuracy of xopt's
// predictions for them. A seed determines the kind of application and 4 to 20 kernels. Kernels are vector filters,
// transforms, matrices, tables smaller and larger than caches, pointer chasing, sorting, hashes, tokenizers, coders,
// aggregators, and file input and output. The kernels form pipelines, parallel copies, branches that join again and
// side branches, with random element sizes and rates. Package unseen writes each application as X files and C. It then
// calibrates the application, searches for mappings, runs them, and compares the runs with the predictions.
//
// The folder blocks contains the sources of the kernels. Tests compare the output of every application with the output
// of equivalent functions in Go.
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

// Word returns the name in X of the type of one number.
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
	Uneven  Kind = "uneven"  // kernels of all kinds, one with hundreds of times the work of the others
	Mixed   Kind = "mixed"   // kernels of all kinds
)

// App is a generated application.
type App struct {
	Seed    uint64
	Kind    Kind
	Kernels []Kernel
	Edges   []Edge
	Input   *Input // the file that the sources read; nil for none
	// Flags contains the compiler flags of each kind of block.
	Flags map[string]string
}

// Kernel is a kernel of a generated application.
type Kernel struct {
	Name  string
	Block string // kind of block: the name of its files
	// Typed reports that the block has a version for each element type. Type is the selected type.
	Typed    bool
	Type     Type
	Settings []Setting
}

// Input describes the random file that sources read.
type Input struct {
	Bytes int
	Text  bool // lines of words, numbers, quoted text, symbols and comments; otherwise runs of equal bytes
}

// Setting is a config of a kernel with its value.
type Setting struct {
	Name  string
	Value float64
}

// Setting returns the value that the application sets for a config of the kernel; 0 if it sets none.
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

// Edge is an edge between the ports of two kernels. Port indices are from 0 for ports of an array, and -1 for other
// ports. Several edges from one output are a broadcast.
type Edge struct {
	From      int
	FromPort  string
	FromIndex int
	To        int
	ToPort    string
	ToIndex   int
}

// port returns the X code for a port.
func port(kernel, name string, index int) string {
	if index < 0 {
		return kernel + "." + name
	}
	return fmt.Sprintf("%s.%s[%d]", kernel, name, index+1)
}
