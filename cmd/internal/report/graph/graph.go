// Package graph lays drawings of mappings out and renders them as SVG and PNG, in pure Go.
//
// Kernels stand in columns by their depth in the stream, from left to right (the layers of
// Sugiyama, Tagawa and Toda 1981). Each group of them, a resource, is a box that spans some
// columns; boxes are ordered by the barycentres of what they are joined to, and share a row
// where their columns do not meet. Within a column the order is by barycentres too. Edges
// over more than one column have a slot in each of those between, so that no edge crosses a
// kernel. Links are bars between the rows. A frame stands round the boxes of one device. The
// same graph gives the same drawing.
package graph

import "image/color"

// Graph is what is drawn.
type Graph struct {
	Label  string // what the picture shows, for those who cannot see it
	Text   string // the same at length; "" for no more than the label
	Frames []Frame
	Groups []Group
	Nodes  []Node
	Links  []Link
	Edges  []Edge
	Key    []Entry // what the colours mean; drawn below the rest
}

// Look is how a shape is drawn.
type Look struct {
	Fill, Border color.RGBA
	Width        float64 // of the border, in pixels
}

// Frame stands round groups: a device round its cores.
type Frame struct {
	Label, Title string
	Look
}

// Group is a box around nodes.
type Group struct {
	Name         string // stands in the attribute data-name
	Label, Title string
	Frame        int // the frame it stands in, from 1; 0 for none
	Look
}

// Node is a kernel, or a resource where kernels are not drawn.
type Node struct {
	Name  string   // stands in the attribute data-name
	Lines []string // what is written in it
	Title string   // what a pointer on it shows
	Parts []string // the kernels that it stands for, where they are more than itself
	Group int      // number of its group, -1 for none
	Look
}

// Link is a bar that edges go over.
type Link struct {
	Name         string // stands in the attribute data-name
	Label, Title string
	// Part of the bar has the link's fill, from the left, and the rest the ground: what the link carries of its most. 0
	// or 1, and more, stand for all of it.
	Part   float64
	Ground color.RGBA
	Look
}

// Edge goes from one node to another, over links or directly.
type Edge struct {
	From, To     int   // numbers of nodes
	Via          []int // numbers of links
	Width        float64
	Name         string     // stands in the attribute data-name
	Color        color.RGBA // the usual one where it is the zero value
	Label, Title string
}

// Entry of the key says what a box, or with IsEdge an edge, of some look means.
type Entry struct {
	Text   string
	IsEdge bool
	Look   // an edge has the colour of the border
}

// point is a place, in pixels from the upper left.
type point struct{ x, y float64 }

// rect is a rectangle.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }

// Layout is where everything stands.
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
