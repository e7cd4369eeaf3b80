// Package xlang reads the X language: applications, architectures, mappings, figures and constraints. The language
// follows Gayen 2008 §2.1-2.2 and Lancaster 2011 §2.3. This package defines the details that these papers leave open.
//
// The package reads files and returns a [Program]. In a Program, every name is checked, every config is resolved, and
// every hierarchical block is flattened. Package design interprets the numbers in a Program.
//
// The package reads a file in three steps:
//   - The lexer splits the file into tokens.
//   - The reader splits the tokens into statements, at semicolons and closing braces. One bad statement therefore does
//     not affect other statements.
//   - A participle grammar parses each statement (grammar.go is the reference of the syntax).
//
// After these steps, the elaborator resolves the declarations of all files together. The package stores every error
// with its position as a [Diagnostic].
package xlang

import (
	"slices"
	"strings"
)

// Pos is a position in an X file. Line and Column count from 1. Column counts characters; a tab counts as one
// character.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Program is the content of a set of X files, with includes read, configs resolved and hierarchical blocks flattened.
// Every name in a Program is declared. Values are as stated in the files; package design interprets the numbers.
type Program struct {
	// Files lists the files in reading order, with the SHA-256 of each file.
	Files []File

	Top     string   // name of the block that `use` selected
	UsePos  Pos      // position of this `use`
	Kernels []Kernel // leaf block instances, in order of declaration
	Edges   []Edge

	Platforms []Type // platforms and linktypes, bases before derived
	Linktypes []Type

	Resources []Resource // computational resources, arrays expanded
	Links     []Link     // interconnect resources

	Impls    []Impl   // source implementations declared in platforms
	Figures  []Figure // `impl B on R (…)`
	Routes   []Route  // `route K.port = f`
	Maps     []Map    // `map { kernels or edges } to R or L`
	Buffers  []Buffer // `buffer e = n`
	Fixes    []Place  // `fix { … } to R`
	Forbids  []Place  // `forbid { … } to R`
	Together []Group
	Separate []Group

	// TopConfig contains the configs of the top block, including defaults.
	TopConfig Values

	// SetTypes contains the declared types, in upper case, of the configs that Options.Set sets, by the keys of Set.
	SetTypes map[string]string
}

// IsInteger reports whether a declared type is an integer type.
func IsInteger(typ string) bool { return strings.Contains(typ, "SIGNED") }

// MapFiles lists the files that place kernels.
func (p *Program) MapFiles() []string {
	var list []string
	for i := range p.Maps {
		if m := &p.Maps[i]; m.Kernel >= 0 && !slices.Contains(list, m.Pos.File) {
			list = append(list, m.Pos.File)
		}
	}
	return list
}

// WithMapsOf returns the program with the mapping and buffers of only one of its [Program.MapFiles]; "" selects no
// mapping. Buffers from files without a mapping remain.
func (p *Program) WithMapsOf(file string) *Program {
	others := slices.DeleteFunc(p.MapFiles(), func(f string) bool { return f == file })
	q := *p
	q.Maps = slices.DeleteFunc(slices.Clone(p.Maps), func(m Map) bool { return m.Pos.File != file })
	q.Buffers = slices.DeleteFunc(slices.Clone(p.Buffers), func(b Buffer) bool {
		return slices.Contains(others, b.Pos.File)
	})
	return &q
}

// HasCopies reports whether kernels run in copies, on cores or on an FPGA.
func (p *Program) HasCopies() bool {
	return slices.ContainsFunc(p.Kernels, func(k Kernel) bool { return k.Replica != nil || k.Instances > 1 })
}

// File is one X file that was read.
type File struct {
	Path   string // as opened
	SHA256 string
}

// Value is the value of a config or an attribute: a number, or text. The value of a config of type STRING is text; the
// value of every other config is a number.
type Value struct {
	Text     string  // as written, without quotes
	Number   float64 // value if IsNumber is true
	IsNumber bool    // whether the text is a plain number
	Quoted   bool    // whether the text was in quotes
	Type     string  // declared type of the config, in upper case; may be empty
	Pos      Pos
}

// Values maps config or attribute names to values.
type Values map[string]Value

// Port is a port of a kernel. Arrays of ports are expanded: y[1], y[2].
type Port struct {
	Name         string
	Type         string  // "FLOAT32", "UNSIGNED8[24]"
	ElementBytes float64 // bytes of one element
}

// Join is a `join` statement: a firing consumes Counts[i] elements from Ports[i], for all i together.
type Join struct {
	Ports  []int // indices into Kernel.Inputs
	Counts []float64
	Pos    Pos
}

// Emit is the `emit` statement of an output: every firing sends Elements elements on the output. Elements is 0 for an
// output without a statement.
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
	Emits   []Emit // of each output, in order; nil without emit statements
	Once    bool   // a source that sends data at the start only
	Config  Values
	// Testpoints contains the testpoints of the kernel's block. TraceFolder is the subfolder of the trace folder for
	// the kernel's event files; "" for the trace folder itself.
	Testpoints  []Testpoint
	TraceFolder string
	Pos         Pos

	// Stateless is the block's declaration that a firing depends only on its inputs; nil without this declaration.
	Stateless *Stateless
	// Replica identifies one of several copies of a kernel ([Program.Replicate]); nil for a kernel without copies.
	Replica *Replica
	// Instances is the number of copies of the kernel on its FPGA; 0 means one copy. The splitter and joiner of the
	// copies are part of the hardware ([Program.Instantiate]).
	Instances int
}

// Stateless is a `stateless` statement: the output of a firing depends only on its input, not on other firings. With a
// key, the output may depend on firings with the same key.
type Stateless struct {
	// Key is the input whose values are the key, as an index into Kernel.Inputs; -1 for none.
	Key int
}

// Edge connects an output port to an input port of leaf instances.
type Edge struct {
	Name             string // "top.e1"; an unlabeled edge is named by its ends, "top.a->top.b"
	From, To         int    // indices into Program.Kernels
	FromPort, ToPort int    // indices into Outputs, Inputs

	// Initial is the number of elements on the edge before the run starts. Without initial elements, each kernel of a
	// cycle would wait for another kernel.
	Initial int
	// InitialValues is the path of a file with the raw bytes of the initial elements, in their order; "" for zeros.
	// [Load] has checked the size of the file.
	InitialValues string
	InitialPos    Pos // position of Initial

	// Share is the fraction of the stream that the reader processes, for an edge to a copy of a kernel. Shared reports
	// whether the copy skips the other data. Origin is the index of the original edge plus one, if several edges
	// replace the original edge ([Program.Replicate]). All three fields are zero without copies.
	Share  float64
	Shared bool
	Origin int
	// Round is the minimum buffer size in elements with which copies can work at the same time. It is two batches per
	// copy for an edge that divides the stream, and two batches for an edge from copies. It is 0 for other edges.
	Round int
	// Batch is the number of elements in each batch on an edge from a copy. It is 0 unless emit statements determine
	// this number and copies process batches in turn.
	Batch int

	Pos Pos
}

// Type is a platform or a linktype.
type Type struct {
	Name string
	Base string // "" for a root
}

// Resource is a computational resource.
type Resource struct {
	Name     string // "proc[1]", "fpga"
	Platform string
	Config   Values // every config of the platform and its ancestors, including defaults
	Pos      Pos
}

// Link is an interconnect resource.
type Link struct {
	Name      string
	Linktype  string
	Endpoints []int // indices into Program.Resources
	Removed   bool  // the command line has removed one of its endpoints
	Config    Values
	Pos       Pos
}

// Impl is an implementation of a block for a platform, with its source.
type Impl struct {
	Block, Platform string
	Attrs           Values // src, top, flags, …
	Dir             string // directory of its file, for relative paths
	Pos             Pos
}

// Figure is a statement `impl B on R (mu="…", …)`. A statement for several instances or resources becomes several
// Figures.
type Figure struct {
	// Block is a block type or, if Instance is true, the dotted name of a leaf instance.
	Block    string
	Instance bool
	// Resource is the name of a resource or, if OnPlatform is true, of a platform.
	Resource   string
	OnPlatform bool
	Attrs      Values
	Pos        Pos
}

// Route is a statement `route K.port = f`. Kernel is a block type (for all of its instances) or, if Instance is true,
// an instance.
type Route struct {
	Kernel   string
	Instance bool
	Port     string // "y0", "y[2]"
	Fraction float64
	Attrs    Values
	Pos      Pos
}

// Map is one kernel or edge of a `map` statement, after the expansion of hierarchical blocks, arrays and wildcards.
type Map struct {
	Kernel   int   // index into Kernels, or -1 for an edge
	Edge     int   // index into Edges, or -1 for a kernel
	Resource int   // for a kernel
	Links    []int // for an edge: the links that the edge crosses, in order
	// Copies contains the resources of the copies of the kernel, starting with Resource; nil for one copy. Unit
	// identifies the map statement, whose kernels form a unit.
	Copies []Copy
	Unit   int
	Open   bool // the X file states no numbers of batches, so package design may set Turns to balance the cores
	Pos    Pos
}

// Copy is one copy of a kernel: its resource, and the number of batches that it processes in a round of turns.
type Copy struct {
	Resource, Turns int
	Pos             Pos
}

// Buffer is the statement `buffer e = 131` (elements) or `buffer e = "64KiB"`.
type Buffer struct {
	Edge  int
	Value Value
	Pos   Pos
}

// Place is a `fix` or `forbid` statement for kernels and resources.
type Place struct {
	Kernels   []int
	Resources []int // more than one for a platform or an array
	Pos       Pos
}

// Group is a `together` or `apart` statement.
type Group struct {
	Kernels []int
	Pos     Pos
}

// SentOnce reports, for each input of each kernel, whether its data are sent only at the start, in addition to a stream
// that the kernel processes. An example is a table that a filter receives once. Data from a source that sends once keep
// this property when they pass through kernels without other inputs. For the input of such a kernel, the result is
// false, because the data are its stream.
func (p *Program) SentOnce() [][]bool {
	streams := make([]int, len(p.Kernels)) // by kernel: number of in-edges that carry a stream
	var only []int                         // kernels that send only once, in the order of the data flow
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
	for _, e := range p.Edges { // a port that also receives a stream
		if streams[e.From] > 0 || len(p.Kernels[e.From].Inputs) == 0 && !p.Kernels[e.From].Once {
			once[e.To][e.ToPort] = false
		}
	}
	return once
}
