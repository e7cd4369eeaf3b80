// Package graph lays drawings of mappings out and renders them as SVG and PNG, in pure Go.
//
// Kernels stand in columns by their depth in the stream, from left to right (the layers of
// Sugiyama, Tagawa and Toda 1981). Each group of them, a resource, is a box that spans some
// columns; boxes are ordered by the barycentres of what they are joined to, and share a row
// where their columns do not meet. Within a column the order is by barycentres too. Edges
// over more than one column have a slot in each of those between, so that no edge crosses a
// kernel. Links are bars between the rows. The same graph gives the same drawing.
package graph

import "image/color"

// Graph is what is drawn.
type Graph struct {
	Label  string // what the picture shows, for those who cannot see it
	Groups []Group
	Nodes  []Node
	Links  []Link
	Edges  []Edge
}

// Look is how a shape is drawn.
type Look struct {
	Fill, Border color.RGBA
	Width        float64 // of the border, in pixels
}

// Group is a box around nodes.
type Group struct {
	Label, Title string
	Look
}

// Node is a kernel, or a resource where kernels are not drawn.
type Node struct {
	Name  string   // stands in the attribute data-name
	Lines []string // what is written in it
	Title string   // what a pointer on it shows
	Group int      // number of its group, -1 for none
	Look
}

// Link is a bar that edges go over.
type Link struct {
	Label, Title string
	Look
}

// Edge goes from one node to another, over links or directly.
type Edge struct {
	From, To     int   // numbers of nodes
	Via          []int // numbers of links
	Width        float64
	Label, Title string
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
	groups        []rect // empty for those without nodes
	nodes         []rect
	links         []rect // empty for those without edges
	edges         []route
}
