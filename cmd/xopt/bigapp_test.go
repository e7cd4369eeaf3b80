package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"xopt/flow"
)

// bigShape is the shape of the graph of an application.
type bigShape int

// The shapes.
const (
	bigChain   bigShape = iota // one source, one kernel after another, one sink
	bigLayers                  // one source that splits; layers of kernels that join two inputs and split; one sink
	bigSources                 // 16 sources, each with its own chain; one sink that takes elements in any order
	bigStar                    // one source that splits into as many short chains as possible; one sink
)

// String returns the shape's name for names of tests.
func (s bigShape) String() string { return [...]string{"chain", "layers", "sources", "star"}[s] }

// bigShapes returns all shapes.
func bigShapes() []bigShape { return []bigShape{bigChain, bigLayers, bigSources, bigStar} }

// bigApp is an application of any size, for tests of the growth of time and memory.
type bigApp struct {
	Shape   bigShape
	Kernels int  // about how many
	Arrays  bool // whether kernels are elements of arrays, or declared one by one
	Cores   int  // 0 for 16
	Spread  bool // neighbours are on different cores, so that most edges cross
	Sharing string
}

// bigSourceCount is the number of sources of the shape bigSources.
const bigSourceCount = 16

// bigFiles are X files by name: app.x, arch.x and map.x.
type bigFiles map[string][]byte

// Names returns the files in the order of a command line.
func (f bigFiles) Names() []string { return []string{"app.x", "arch.x", "map.x"} }

// Save writes the files into a folder and returns their paths.
func (f bigFiles) Save(folder string) ([]string, error) {
	var paths []string
	for _, name := range f.Names() {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, f[name], 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Write writes the files of an application.
func (a bigApp) Write() bigFiles {
	w := bigWriter{app: a}
	w.lanes()
	fmt.Fprintf(&w.text, "// A %s of about %d kernels.\n#include \"std.x\"\n", a.Shape, a.Kernels)
	w.blocks()
	w.top()
	return bigFiles{"app.x": w.text.Bytes(), "arch.x": w.architecture(), "map.x": w.mapping()}
}

// bigWriter writes an application as lanes of stages between sources and a sink.
type bigWriter struct {
	app         bigApp
	wide, stage int // lanes, and stages of each
	text        bytes.Buffer
}

// lanes computes the lanes and stages for the number of kernels.
func (w *bigWriter) lanes() {
	inner := w.app.Kernels
	switch w.app.Shape {
	case bigChain:
		w.wide, inner = 1, inner-2
	case bigLayers:
		w.wide, inner = 10, inner-2
		if w.app.Kernels >= 1000 {
			w.wide = 100
		}
	case bigSources:
		w.wide, inner = bigSourceCount, inner-bigSourceCount-1
	case bigStar:
		inner -= 2
		w.wide = min(inner/2, maxArray)
	}
	w.stage = max(2, inner/w.wide)
}

// blocks declares the blocks with their figures.
func (w *bigWriter) blocks() {
	t := &w.text
	joined := w.app.Shape == bigLayers
	switch {
	case joined:
		fmt.Fprintf(t, `block SRC { output UNSIGNED32 y[%[1]d]; };
block STAGE { input UNSIGNED32 x0, x1; output UNSIGNED32 y0, y1; join x0, x1; };
block SINK { input UNSIGNED32 x[%[2]d]; };
route SRC.y = 1;
route STAGE.y0 = 0.5;
route STAGE.y1 = 0.5;
`, 2*w.wide, 2*w.wide)
	case w.app.Shape == bigStar:
		fmt.Fprintf(t, `block SRC { output UNSIGNED32 y[%[1]d]; };
block STAGE { input UNSIGNED32 x; output UNSIGNED32 y; };
block SINK { input UNSIGNED32 x[%[1]d]; join x; };
route SRC.y[*] = 1/%[1]d;
`, w.wide)
	default:
		fmt.Fprintf(t, `block SRC { output UNSIGNED32 y; };
block STAGE { input UNSIGNED32 x; output UNSIGNED32 y; };
block SINK { input UNSIGNED32 x[%d]; };
`, w.wide)
	}
}

// top declares the kernels and the edges between them.
func (w *bigWriter) top() {
	t := &w.text
	t.WriteString("block top {\n")
	n := 1
	if w.app.Shape == bigSources {
		n = bigSourceCount
	}
	fmt.Fprintf(t, "SRC src[%d]; SINK sink;\n", n)
	for s := range w.stage {
		if w.app.Arrays {
			if w.app.Shape != bigLayers && s > 0 {
				break // lanes are the arrays
			}
			w.declareArrays(s)
			continue
		}
		for lane := range w.wide {
			fmt.Fprintf(t, "STAGE %s;\n", w.name(lane, s))
		}
	}
	for lane := range w.wide {
		w.lane(lane)
	}
	t.WriteString("};\nuse top;\n")
}

// maxArray is the maximum length of an array.
const maxArray = 50_000

func (w *bigWriter) declareArrays(stage int) {
	if w.app.Shape == bigLayers {
		fmt.Fprintf(&w.text, "STAGE s%d[%d];\n", stage, w.wide)
		return
	}
	for lane := range w.wide {
		for from := 0; from < w.stage; from += maxArray {
			fmt.Fprintf(&w.text, "STAGE s%d_%d[%d];\n", lane, from/maxArray, min(maxArray, w.stage-from))
		}
	}
}

// name returns the name of a kernel in its block.
func (w *bigWriter) name(lane, stage int) string {
	switch {
	case !w.app.Arrays:
		return fmt.Sprintf("s%d_%d", lane, stage)
	case w.app.Shape == bigLayers:
		return fmt.Sprintf("s%d[%d]", stage, lane+1)
	}
	return fmt.Sprintf("s%d_%d[%d]", lane, stage/maxArray, stage%maxArray+1)
}

// lane writes the edges from the kernels of a lane, and to its first.
func (w *bigWriter) lane(lane int) {
	t := &w.text
	first, last := w.name(lane, 0), w.name(lane, w.stage-1)
	if w.app.Shape == bigLayers {
		fmt.Fprintf(t, "src[1].y[%d] -> %s.x0; src[1].y[%d] -> %[2]s.x1;\n", 2*lane+1, first, 2*lane+2)
		fmt.Fprintf(t, "%s.y0 -> sink.x[%d]; %[1]s.y1 -> sink.x[%[3]d];\n", last, 2*lane+1, 2*lane+2)
		next := (lane + 1) % w.wide
		for s := range w.stage - 1 {
			fmt.Fprintf(t, "%s.y1 -> %s.x1;\n", w.name(lane, s), w.name(next, s+1))
			switch {
			case !w.app.Arrays:
				fmt.Fprintf(t, "%s.y0 -> %s.x0;\n", w.name(lane, s), w.name(lane, s+1))
			case lane == 0: // the complete layer
				fmt.Fprintf(t, "s%d[*].y0 -> s%d[*].x0;\n", s, s+1)
			}
		}
		return
	}
	from := "src[1].y"
	switch w.app.Shape {
	case bigSources:
		from = fmt.Sprintf("src[%d].y", lane+1)
	case bigStar:
		from = fmt.Sprintf("src[1].y[%d]", lane+1)
	}
	fmt.Fprintf(t, "%s -> %s.x;\n%s.y -> sink.x[%d];\n", from, first, last, lane+1)
	for s := range w.stage - 1 {
		switch {
		case !w.app.Arrays || s%maxArray == maxArray-1:
			fmt.Fprintf(t, "%s.y -> %s.x;\n", w.name(lane, s), w.name(lane, s+1))
		case s%maxArray == 0 && s+1 < w.stage: // the complete array
			n := min(maxArray, w.stage-s)
			fmt.Fprintf(t, "s%d_%d[1..%d].y -> s%[1]d_%[2]d[2..%[4]d].x;\n", lane, s/maxArray, n-1, n)
		}
	}
}

func (w *bigWriter) cores() int {
	if w.app.Cores > 0 {
		return w.app.Cores
	}
	return 16
}

// architecture returns a machine of cores that share a memory, with the blocks' figures.
func (w *bigWriter) architecture() []byte {
	var t bytes.Buffer
	sharing := w.app.Sharing
	if sharing == "" {
		sharing = flow.Conserving.String()
	}
	fmt.Fprintf(&t, `#include "std.x"
resource proc[%d] is C (sharing="%s");
resource mem is memory ({ proc }, bandwidth="10GB/s", from="assumed");
impl SRC on C (mu="2GB/s", from="assumed");
impl STAGE on C (mu="400MB/s", gain=1, from="assumed");
impl SINK on C (mu="3GB/s", from="assumed");
`, w.cores(), sharing)
	return t.Bytes()
}

// mapping places the kernels, lane by lane: in runs of neighbours, or dealt out.
func (w *bigWriter) mapping() []byte {
	on := make([][]string, w.cores())
	count, total := 0, w.wide*w.stage
	for lane := range w.wide {
		for s := range w.stage {
			at := count * len(on) / total
			if w.app.Spread {
				at = count % len(on)
			}
			on[at] = append(on[at], "top."+w.name(lane, s))
			count++
		}
	}
	on[0] = append(on[0], "top.src")
	on[len(on)-1] = append(on[len(on)-1], "top.sink")
	var t strings.Builder
	for r, names := range on {
		if len(names) > 0 {
			fmt.Fprintf(&t, "map { %s } to proc[%d];\n", strings.Join(names, ",\n "), r+1)
		}
	}
	return []byte(t.String())
}
