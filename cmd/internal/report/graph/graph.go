// Package graph lays out drawings of mappings and renders them as SVG and PNG, in pure Go.
//
// Kernels are in columns by their depth in the stream, from left to right (the layers of Sugiyama, Tagawa and Toda
// 1981). Each group of kernels, a resource, is a box that spans some columns. Boxes are ordered by the barycentres of
// their neighbours, and share a row if their columns do not overlap. Within a column, the kernels are also ordered by
// barycentres. An edge over more than one column has a slot in each column between, so that no edge crosses a kernel.
// Links are bars between the rows. A frame surrounds the boxes of one device. The same graph always gives the same
// drawing.
package graph

import "image/color"

// Graph is the input of a drawing.
type Graph struct {
	Label  string // the subject of the picture, for screen readers
	Text   string // the same in detail; "" for the label only
	Frames []Frame
	Groups []Group
	Nodes  []Node
	Links  []Link
	Edges  []Edge
	Key    []Entry // the legend, below the rest
}

// Look is the style of a shape.
type Look struct {
	Fill, Border color.RGBA
	Width        float64 // of the border, in pixels
	// Part is the utilization: the fraction of the shape, from the left, with the fill; the rest has the ground's
	// colour. 0, and 1 or more, fill the complete shape.
	Part   float64
	Ground color.RGBA
}

// Frame surrounds groups, such as the cores of a device.
type Frame struct {
	Label, Title string
	Look
}

// Group is a box around nodes.
type Group struct {
	Name         string // in the attribute data-name
	Label, Title string
	Frame        int // its frame, from 1; 0 for none
	Look
}

// Node is a kernel, or a resource if kernels are not drawn.
type Node struct {
	Name  string   // in the attribute data-name
	Lines []string // text inside
	Title string   // shown on hover
	Parts []string // the kernels that it represents, if several
	Group int      // number of its group, -1 for none
	Look
}

// Link is a bar that edges pass.
type Link struct {
	Name         string // in the attribute data-name
	Label, Title string
	Look
}

// Edge connects two nodes, directly or over links.
type Edge struct {
	From, To     int   // numbers of nodes
	Via          []int // numbers of links
	Width        float64
	Name         string     // in the attribute data-name
	Color        color.RGBA // the zero value is the default
	Label, Title string
}

// Entry is a legend entry for the boxes or, with IsEdge, the edges of a style.
type Entry struct {
	Text   string
	IsEdge bool
	Look   // an edge has the border's colour
}

// point is a position, in pixels from the upper left corner.
type point struct{ x, y float64 }

// rect is a rectangle.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }

// Layout contains the positions of all elements.
type Layout struct {
	graph         *Graph
	width, height float64
	frames        []rect // empty for those without groups
	groups        []rect // empty for those without nodes
	nodes         []rect
	links         []rect // empty for those without edges
	edges         []route
	key           []rect // of each entry, its sign and its text
}
