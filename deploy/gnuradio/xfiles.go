package gnuradio

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"xopt/flow/exchange"
)

// WriteX writes the flow graph as an application in X: a kernel for each block, with its measured rate, gain and
// routing. Blocks without stream connections are omitted.
func (m *Measurement) WriteX(w io.Writer) error {
	m = m.streams()
	b := bufio.NewWriter(w)
	origin := fmt.Sprintf("measured with GNU Radio %s: counters", m.GNURadio)
	fmt.Fprintf(b, "%s%s (GNU Radio %s): one kernel for each block\n\n#include \"std.x\"\n\n", exchange.Header,
		m.FlowGraph, m.GNURadio)
	names := make(map[string]string)
	used := make(map[string]bool)
	for i := range m.Blocks {
		name := xName(m.Blocks[i].Label())
		for base, n := name, 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		names[m.Blocks[i].UID] = name
	}
	for i := range m.Blocks {
		m.writeBlock(b, i, "B_"+names[m.Blocks[i].UID])
	}
	fmt.Fprintf(b, "\nblock top {\n")
	for i := range m.Blocks {
		name := names[m.Blocks[i].UID]
		fmt.Fprintf(b, "    B_%s %s;\n", name, name)
	}
	for k, e := range m.Edges {
		fmt.Fprintf(b, "    e%d: %s.out%d -> %s.in%d;\n", k+1, names[e.From], e.Out, names[e.To], e.In)
	}
	fmt.Fprintf(b, "};\nuse top;\n\n")
	for i := range m.Blocks {
		m.writeFigures(b, i, "B_"+names[m.Blocks[i].UID], origin)
	}
	return b.Flush()
}

// streams returns the measurement of the blocks with stream connections.
func (m *Measurement) streams() *Measurement {
	x := *m
	x.Blocks, x.Figures = nil, nil
	for i := range m.Blocks {
		if b := m.Blocks[i]; len(b.Inputs)+len(b.Outputs) > 0 {
			x.Blocks, x.Figures = append(x.Blocks, b), append(x.Figures, m.Figures[i])
		}
	}
	return &x
}

// xName converts a name to a valid identifier of X.
func xName(s string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// itemType returns the X type of an item.
func itemType(bytes int) string {
	if bytes <= 1 {
		return "UNSIGNED8"
	}
	return fmt.Sprintf("UNSIGNED8[%d]", bytes)
}

func (m *Measurement) writeBlock(b io.Writer, i int, name string) {
	x, f := &m.Blocks[i], &m.Figures[i]
	fmt.Fprintf(b, "block %s {", name)
	for p, bytes := range x.Inputs {
		fmt.Fprintf(b, " input %s in%d;", itemType(bytes), x.InPorts[p])
	}
	for p, bytes := range x.Outputs {
		fmt.Fprintf(b, " output %s out%d;", itemType(bytes), x.OutPorts[p])
	}
	if join := m.join(x, f); join != "" {
		fmt.Fprintf(b, " join %s;", join)
	}
	fmt.Fprintln(b, " };")
}

// join returns the inputs that a block consumes together, with their numbers of items. It returns "" if the block has
// one input, or if the ratios of the measured rates are not small integers.
func (m *Measurement) join(x *Block, f *Figures) string {
	if len(x.Inputs) < 2 {
		return ""
	}
	smallest := math.Inf(1)
	for _, r := range f.Read {
		smallest = min(smallest, r)
	}
	if !(smallest > 0) {
		return ""
	}
	const tolerance = 0.02 // buffers fill during a window
	var list []string
	for p, r := range f.Read {
		n := math.Round(r / smallest)
		if math.Abs(r/smallest-n) > tolerance*n {
			return ""
		}
		if n == 1 {
			list = append(list, fmt.Sprintf("in%d", x.InPorts[p]))
		} else {
			list = append(list, fmt.Sprintf("%.0f in%d", n, x.InPorts[p]))
		}
	}
	return strings.Join(list, ", ")
}

// writeFigures writes the rate, gain and routing of a block. The rate is the number of input bytes, or output bytes of
// a source, per second of processor time.
func (m *Measurement) writeFigures(b io.Writer, i int, name, origin string) {
	x, f := &m.Blocks[i], &m.Figures[i]
	in, out := bytesOf(f.Read, x.Inputs), bytesOf(f.Written, x.Outputs)
	served := in
	if len(x.Inputs) == 0 {
		served = out
	}
	var list []string
	if served > 0 && f.Share.Mean > 0 {
		list = append(list, fmt.Sprintf("mu=\"%.6gB/s\"", served/f.Share.Mean))
	}
	if in > 0 && len(x.Outputs) > 0 {
		list = append(list, fmt.Sprintf("gain=%.6g", out/in))
	}
	if f.Assumed {
		origin += "; assumed: as many items out as in"
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "impl %s on C (%s, from=\"%s\");\n", name, strings.Join(list, ", "), origin)
	}
	if len(x.Outputs) < 2 || out <= 0 {
		return
	}
	rest := 1.
	for p := range x.Outputs {
		part := f.Written[p] * float64(x.Outputs[p]) / out
		if p == len(x.Outputs)-1 {
			part = rest // the sum is exactly 1
		}
		rest -= part
		fmt.Fprintf(b, "route %s.out%d = %.9f;\n", name, x.OutPorts[p], max(0, part))
	}
}

func bytesOf(rates []float64, sizes []int) float64 {
	sum := 0.
	for p := range rates {
		sum += max(0, rates[p]) * float64(max(1, sizes[p]))
	}
	return sum
}

// WriteMachine writes the processors that the flow graph may use as an architecture in X. Data moves between them at no
// cost, because the processor time of the threads contains the cost of GNU Radio's buffers.
func (m *Measurement) WriteMachine(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s%s: the processors that the flow graph may use\n\n#include \"std.x\"\n\n", exchange.Header,
		m.FlowGraph)
	var cpus []string
	for _, c := range m.CPUs {
		cpus = append(cpus, fmt.Sprint(c))
	}
	fmt.Fprintf(b, "resource core[%d] is C (cpu=[%s]);\n", len(cpus), strings.Join(cpus, ", "))
	fmt.Fprintf(b, "resource mem is memory ({ core }, bandwidth=\"inf\", from=\"assumed: the threads' times contain "+
		"the cost of buffers\");\n")
	return b.Flush()
}
