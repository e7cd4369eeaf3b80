// Package xlang reads the X language: applications, architectures, mappings,
// figures and constraints, as Gayen 2008 §2.1-2.2 and Lancaster 2011 §2.3 print
// it, with what those leave open fixed by this package.
//
// It stands first in the data's way: files go in, a [Program] with every name
// checked, every config resolved and every hierarchical block flattened comes
// out. What the numbers in it mean is for package design.
//
// A file is read in three steps. The lexer cuts it into tokens; the tokens are
// cut into statements, at semicolons and closing braces, so that one bad
// statement spoils no other; each statement is parsed by a participle grammar
// (grammar.go, which is the reference of the syntax). The declarations of all
// files are then elaborated together. Every mistake found on the way is kept,
// with its place, as a [Diagnostic].
package xlang

import "strings"

// Pos is a place in an X file. Line and Column count from 1; Column counts
// characters, a tab as one.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Program is what a set of X files says, with includes read, configs resolved
// and hierarchical blocks flattened. Every name in it has been checked to exist.
// It holds what was written; what the numbers mean is for package design.
type Program struct {
	// Files lists the files read, in order, with the SHA-256 of each.
	Files []File

	Top     string   // name of the block that `use` chose
	UsePos  Pos      // where
	Kernels []Kernel // leaf block instances, in order of declaration
	Edges   []Edge

	Platforms []Type // platforms and linktypes, bases before derived
	Linktypes []Type

	Resources []Resource // computational resources, arrays expanded
	Links     []Link     // interconnect resources

	Impls    []Impl   // source implementations hanging off platforms
	Figures  []Figure // `impl B on R (…)`
	Routes   []Route  // `route K.port = f`
	Maps     []Map    // `map { kernels or edges } to R or L`
	Buffers  []Buffer // `buffer e = n`
	Fixes    []Place  // `fix { … } to R`
	Forbids  []Place  // `forbid { … } to R`
	Together []Group
	Apart    []Group

	// TopConfig holds the configs of the top block, defaults filled in.
	TopConfig Values

	// SetTypes are the declared types, in upper case, of the configs that Options.Set sets, by its keys.
	SetTypes map[string]string
}

// Whole reports whether configs of a declared type are whole numbers.
func Whole(typ string) bool { return strings.Contains(typ, "SIGNED") }

// File is one X file that was read.
type File struct {
	Path   string // as opened
	SHA256 string
}

// Value is a config value or attribute: a number, or text. A STRING config
// is text, every other number.
type Value struct {
	Text     string  // as written, without quotes
	Number   float64 // when IsNumber
	IsNumber bool    // whether the text reads as a plain number
	Quoted   bool    // whether it was written in quotes
	Type     string  // declared type of the config, in upper case; may be empty
	Pos      Pos
}

// Values maps config or attribute names to values.
type Values map[string]Value

// Port is a port of a kernel. An array of ports is expanded: y[1], y[2].
type Port struct {
	Name         string
	Type         string  // "FLOAT32", "UNSIGNED8[24]"
	ElementBytes float64 // bytes of one element
}

// Join is a `join` statement: ports consumed together, Count elements of each.
type Join struct {
	Ports  []int // indices into Kernel.Inputs
	Counts []float64
	Pos    Pos
}

// Emit is what an `emit` statement says of an output: each firing sends so many Elements on it,
// always. 0 is a port of which it says nothing.
type Emit struct {
	Elements int
	Pos      Pos
}

// Kernel is a leaf block instance.
type Kernel struct {
	Name    string // "top.pipe[1].fft"
	Block   string // "FFT"
	Inputs  []Port
	Outputs []Port
	Joins   []Join
	Emits   []Emit // of each output, in order; nil where no emit statement says what a firing sends
	Once    bool   // a source that sends at the start, and then nothing more
	Config  Values
	// Testpoints are those that its block declares. TraceFolder is where the files of its events go
	// below the folder for all traces; "" for that folder itself.
	Testpoints  []Testpoint
	TraceFolder string
	Pos         Pos

	// Stateless says that a firing depends on its inputs alone; nil where the block does not say so.
	Stateless *Stateless
	// Replica says which of several copies of a kernel this is ([Program.Replicate]); nil where there is one.
	Replica *Replica
	// Instances is how many copies of the kernel its FPGA has, behind a splitter and a joiner that are part of the
	// hardware ([Program.Instantiate]); 0 for one.
	Instances int
}

// Stateless is a `stateless` statement: what a firing sends depends on what it takes, and on nothing that
// other firings did; with a key, on nothing that firings of other keys did.
type Stateless struct {
	// Key is the input whose values are the key, an index into Kernel.Inputs; -1 for none.
	Key int
	Pos Pos
}

// Edge joins an output port to an input port of leaf instances.
type Edge struct {
	Name             string // "top.e1"; an unlabelled edge is named by its ends, "top.a->top.b"
	From, To         int    // indices into Program.Kernels
	FromPort, ToPort int    // indices into Outputs, Inputs

	// Initial is how many elements the edge holds before anything runs. A cycle needs some, for
	// else each of its kernels waits for another.
	Initial int
	// InitialValues is the file of their raw bytes, one element after the other, as it is opened;
	// "" for zeros. Its size has been checked.
	InitialValues string
	InitialPos    Pos // where Initial is given

	// Share is, of an edge to a copy of a kernel, the fraction of what is sent that this copy takes, and
	// Shared that it passes over the rest; Origin is one more than the number of the edge of which this is
	// one of several ([Program.Replicate]). Zero where there is one copy.
	Share  float64
	Shared bool
	Origin int
	// Round is how many elements the edge should hold so that copies can work at the same time: two batches for
	// each copy where the stream divides, two batches where it leaves copies. 0 elsewhere.
	Round int
	// Batch is, of an edge from a copy, how many elements each of its batches has, where emit statements say so and
	// batches are taken in turn; else 0.
	Batch int

	Pos Pos
}

// Type is a platform or a linktype.
type Type struct {
	Name string
	Base string // "" for a root
	Pos  Pos
}

// Resource is a computational resource.
type Resource struct {
	Name     string // "proc[1]", "fpga"
	Platform string
	Config   Values // every config of the platform and its ancestors, defaults filled in
	Pos      Pos
}

// Link is an interconnect resource.
type Link struct {
	Name      string
	Linktype  string
	Endpoints []int // indices into Program.Resources
	Config    Values
	Pos       Pos
}

// Impl is a source implementation of a block on a platform.
type Impl struct {
	Block, Platform string
	Attrs           Values // src, top, flags, …
	Dir             string // directory of the file that holds it, for relative paths
	Pos             Pos
}

// Figure is `impl B on R (mu="…", …)`. One that names several instances or
// resources is expanded to one for each.
type Figure struct {
	// Block is a block type, or a leaf instance's dotted name when Instance.
	Block    string
	Instance bool
	// Resource is a resource name, or a platform name when OnPlatform.
	Resource   string
	OnPlatform bool
	Attrs      Values
	Pos        Pos
}

// Route is `route K.port = f`; Kernel is a block type (all its instances), or an
// instance when Instance.
type Route struct {
	Kernel   string
	Instance bool
	Port     string // "y0", "y[2]"
	Fraction float64
	Attrs    Values
	Pos      Pos
}

// Map is one kernel or edge of a `map` statement; hierarchical blocks, whole
// arrays and wildcards are expanded.
type Map struct {
	Kernel   int   // index into Kernels, or -1 for an edge
	Edge     int   // index into Edges, or -1 for a kernel
	Resource int   // for a kernel
	Links    []int // for an edge: the links it crosses, in order
	// Copies are where the copies of a kernel run, Resource being that of the first; nil for one. Unit tells
	// those statements apart: the kernels of one are copied together, as a unit.
	Copies []Copy
	Unit   int
	Pos    Pos
}

// Copy is one copy of a kernel: where it runs, and how many batches it takes in a round of turns.
type Copy struct {
	Resource, Turns int
	Pos             Pos
}

// Buffer is `buffer e = 131` (elements) or `buffer e = "64KiB"`.
type Buffer struct {
	Edge  int
	Value Value
	Pos   Pos
}

// Place is one `fix` or `forbid` of kernels to resources.
type Place struct {
	Kernels   []int
	Resources []int // more than one where a platform or an array was named
	Pos       Pos
}

// Group is one `together` or `apart`.
type Group struct {
	Kernels []int
	Pos     Pos
}

// SentOnce tells of each input of each kernel whether what comes there is sent at the
// start only, such as a table, beside the stream that the kernel works on: it is no work
// of the kernel's. What a source sends that sends once stays so through kernels that
// take nothing else; of those themselves it is the stream.
func (p *Program) SentOnce() [][]bool {
	streams := make([]int, len(p.Kernels)) // edges that lead to it and carry a stream
	var only []int                         // kernels that send nothing else, in the order of data
	for _, e := range p.Edges {
		streams[e.To]++
	}
	for k := range p.Kernels {
		if p.Kernels[k].Once {
			only = append(only, k)
		}
	}
	once := make([][]bool, len(p.Kernels))
	for k := range once {
		once[k] = make([]bool, len(p.Kernels[k].Inputs))
	}
	for i := 0; i < len(only); i++ {
		for _, e := range p.Edges {
			if e.From != only[i] {
				continue
			}
			once[e.To][e.ToPort] = true
			if streams[e.To]--; streams[e.To] == 0 {
				only = append(only, e.To)
			}
		}
	}
	for _, k := range only {
		clear(once[k])
	}
	for _, e := range p.Edges { // a port to which a stream comes as well
		if streams[e.From] > 0 || len(p.Kernels[e.From].Inputs) == 0 && !p.Kernels[e.From].Once {
			once[e.To][e.ToPort] = false
		}
	}
	return once
}
