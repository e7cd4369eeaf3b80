// Package unseen owns applications that xopt was not tuned on, and how well it predicts them. They are drawn by a
// seed: 4 to 20 kernels of different nature (vector filters, transforms, matrices, tables in and beyond caches,
// hops through memory, sorting, hashes, parsing, compression), in pipelines, parallel copies, branches that meet
// again and side branches, with sizes of elements and rates that are drawn, too. Each is written as X files and C, as
// a user would, and is then calibrated, searched, run and compared with what was predicted.
//
// It stands above calibrate, mapper and validate, which do the work. Its source are the kernels in its folder blocks;
// tests hold the output of every application against plain functions in Go.
package unseen

import "fmt"

// Type is what the elements of an edge are arrays of.
type Type int

// The types of elements.
const (
	Bytes Type = iota
	Words
	Samples
)

// String is the name of the type in the names of blocks.
func (t Type) String() string { return [...]string{"Bytes", "Words", "Samples"}[t] }

// Word is the name of the type in X.
func (t Type) Word() string { return [...]string{"UNSIGNED8", "UNSIGNED32", "FLOAT32"}[t] }

// Size is that of one number, in bytes.
func (t Type) Size() int { return [...]int{1, 4, 4}[t] }

// App is an application.
type App struct {
	Seed    uint64
	Kernels []Kernel
	Edges   []Edge
	// Flags are those of the compiler, for each kind of block that is there.
	Flags map[string]string
}

// Kernel is an instance of a block.
type Kernel struct {
	Name  string
	Block string // its kind: the name of its files
	// Typed is that the block is written for each type of elements, and Type is which.
	Typed    bool
	Type     Type
	Settings []Setting
}

// Setting is a config of a kernel.
type Setting struct {
	Name  string
	Value float64
}

// BlockName is the name of the kernel's block in X.
func (k *Kernel) BlockName() string {
	if k.Typed {
		return k.Block + k.Type.String()
	}
	return k.Block
}

// Edge leads from a port to a port; ports of an array have an index, from 0, others -1. Several edges of one output
// are a broadcast.
type Edge struct {
	From      int
	FromPort  string
	FromIndex int
	To        int
	ToPort    string
	ToIndex   int
}

// port is a port in X.
func port(kernel, name string, index int) string {
	if index < 0 {
		return kernel + "." + name
	}
	return fmt.Sprintf("%s.%s[%d]", kernel, name, index+1)
}
