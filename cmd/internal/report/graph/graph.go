// Package graph lays out drawings of mappings and renders them as SVG and PNG, in pure Go.
//
// Kernels are in columns by their depth in the stream, from left to right (the layers of Sugiyama, Tagawa and Toda
// 1981). The kernels of a resource form a group, whose box spans one or more columns. The barycenters of a box's
// neighbors determine its row. Boxes share a row if their columns do not overlap. Barycenters also order the kernels
// within a column. An edge over several columns has a slot in each column between its ends, so that no edge crosses a
// kernel. Links are bars between the rows. A frame surrounds the boxes of a device.
//
// The same graph always produces the same drawing.
package graph

import "image/color"

// Graph is the input of a drawing.
type Graph struct {
	Label  string // subject of the picture, for screen readers
	Text   string // detailed description for screen readers; "" to use only Label
	Frames []Frame
	Groups []Group
	Nodes  []Node
	Links  []Link
	Edges  []Edge
	Key    []Entry // the legend, below the drawing
}

// Look is the style of a shape.
type Look struct {
	Fill, Border color.RGBA
	Width        float64 // border width in pixels
	// Part is the utilization: the filled fraction of the shape, from the left. The remaining part has the background
	// color. 0 and values of at least 1 fill the complete shape.
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
	Name         string // value of the attribute data-name
	Label, Title string
	Frame        int // number of its frame, from 1; 0 for none
	Look
}

// Node is a kernel, or a resource if kernels are not drawn.
type Node struct {
	Name  string   // value of the attribute data-name
	Lines []string // text inside
	Title string   // shown on hover
	Parts []string // the represented kernels, if several
	Group int      // number of its group, -1 for none
	Look
}

// Link is a bar that edges go through.
type Link struct {
	Name         string // value of the attribute data-name
	Label, Title string
	Look
}

// Edge connects two nodes, directly or through links.
type Edge struct {
	From, To     int   // numbers of nodes
	Via          []int // numbers of links
	Width        float64
	Name         string     // value of the attribute data-name
	Color        color.RGBA // the zero value is the default
	Label, Title string
}

// Entry is a legend entry: the style of boxes or, if IsEdge is true, of edges.
type Entry struct {
	Text   string
	IsEdge bool
	Look   // for an edge, only the border applies
}

// point is a position, in pixels from the upper left corner.
type point struct{ x, y float64 }

// rect is a rectangle: its upper left corner, width and height, in pixels.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }

// Layout contains the positions of all elements.
type Layout struct {
	graph         *Graph
	width, height float64
	frames        []rect // empty for frames without groups
	groups        []rect // empty for groups without nodes
	nodes         []rect
	links         []rect // empty for links without edges
	edges         []route
	key           []rect // sign and text of each entry
}
