package graph

import (
	"strings"
	"testing"
)

// TestNamesOverEdges: the names of devices and boxes are drawn after the edges, which may cross them, and with a halo.
func TestNamesOverEdges(t *testing.T) {
	look := Look{Fill: white, Border: green, Width: 1}
	g := &Graph{Label: "a graph", Frames: []Frame{{Label: "a device", Look: look}},
		Groups: []Group{{Frame: 1, Label: "a core", Look: look}},
		Nodes:  []Node{{Lines: []string{"a"}, Group: 0, Look: look}, {Lines: []string{"b"}, Group: 0, Look: look}},
		Edges:  []Edge{{From: 0, To: 1, Name: "e", Width: 1}}}
	svg := g.Layout().SVG()
	last := strings.LastIndex(svg, `fill="none"`)
	for _, name := range []string{"a device", "a core"} {
		at := strings.Index(svg, ">"+name+"</text>")
		if at < last || last < 0 {
			t.Errorf("%q is at %d, the last edge at %d", name, at, last)
			continue
		}
		if text := svg[strings.LastIndex(svg[:at], "<text"):at]; !strings.Contains(text, "paint-order") {
			t.Errorf("%q has no halo: %s", name, text)
		}
	}
}
