package exchange

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Header is the first text in the files of imported applications.
const Header = "// Imported by xopt from "

// element returns the X type of elements of the given size.
func element(bytes int64) string {
	if bytes == 1 {
		return "UNSIGNED8"
	}
	return fmt.Sprintf("UNSIGNED8[%d]", bytes)
}

// counted returns a port in X syntax, with the number of elements that a firing consumes or sends.
func counted(n int64, port string) string {
	if n == 1 {
		return port
	}
	return fmt.Sprintf("%d %s", n, port)
}

// header writes the first lines of a file.
func (a *Application) header(w io.Writer) *bufio.Writer {
	b := bufio.NewWriter(w)
	unit := ""
	if a.Unit != "" {
		unit = "; one time unit is " + a.Unit
	}
	fmt.Fprintf(b, "%s%s%s\n\n#include \"std.x\"\n\n", Header, a.Source, unit)
	return b
}

// WriteX writes the application in X: a block for each kernel, and a top-level block.
func (a *Application) WriteX(w io.Writer) error {
	b := a.header(w)
	for i, p := range a.Platforms {
		base := "C"
		if _, ok := a.Devices[i]; ok {
			base = "HDL"
		}
		fmt.Fprintf(b, "platform %s : %s { };\n", p, base)
	}
	fmt.Fprintln(b)
	in, out := make([][]int, len(a.Kernels)), make([][]int, len(a.Kernels))
	for e := range a.Edges {
		in[a.Edges[e].To] = append(in[a.Edges[e].To], e)
		out[a.Edges[e].From] = append(out[a.Edges[e].From], e)
	}
	for k := range a.Kernels {
		a.writeBlock(b, k, in[k], out[k])
	}
	fmt.Fprintf(b, "\nblock %s {\n", a.Name)
	for _, k := range a.Kernels {
		fmt.Fprintf(b, "    %s %s;\n", k.Block, k.Name)
	}
	for _, e := range a.Edges {
		fmt.Fprintf(b, "    %s: %s.%s -> %s.%s", e.Name, a.Kernels[e.From].Name, e.FromPort, a.Kernels[e.To].Name,
			e.ToPort)
		if e.Initial > 0 {
			fmt.Fprintf(b, " (initial=%d)", e.Initial)
		}
		fmt.Fprintln(b, ";")
	}
	fmt.Fprintf(b, "};\nuse %s;\n\n", a.Name)
	for _, k := range a.Kernels {
		for _, t := range k.Times {
			fmt.Fprintf(b, "impl %s on %s (time=\"%s\"%s, from=\"%s\");\n", k.Block, a.Platforms[t.Platform], t.Text,
				t.Attributes, plain(cmp.Or(t.From, "published: "+a.Source)))
		}
	}
	for _, e := range a.Edges {
		if e.Buffer > 0 {
			fmt.Fprintf(b, "buffer { %s.%s } = %d;\n", a.Name, e.Name, e.Buffer)
		}
	}
	return b.Flush()
}

func (a *Application) writeBlock(b io.Writer, k int, in, out []int) {
	fmt.Fprintf(b, "block %s {", a.Kernels[k].Block)
	var consumes, emits []string
	joined := false
	for _, i := range in {
		e := &a.Edges[i]
		fmt.Fprintf(b, " input %s %s;", element(e.Bytes), e.ToPort)
		consumes = append(consumes, counted(e.Consumes, e.ToPort))
		joined = joined || e.Consumes > 1 || len(consumes) > 1
	}
	for _, i := range out {
		e := &a.Edges[i]
		fmt.Fprintf(b, " output %s %s;", element(e.Bytes), e.FromPort)
		emits = append(emits, counted(e.Emits, e.FromPort))
	}
	if joined {
		fmt.Fprintf(b, " join %s;", strings.Join(consumes, ", "))
	}
	if len(emits) > 0 {
		fmt.Fprintf(b, " emit %s;", strings.Join(emits, ", "))
	}
	fmt.Fprintln(b, " };")
}

// coresOf returns the number of cores of each platform for an architecture that the file does not describe. The number
// is cores or, if cores is 0, the number in Counts. If the number in Counts is also 0, each kernel that can run on the
// platform has a core. The number of FPGAs is always 1.
func (a *Application) coresOf(cores int) []int {
	list := make([]int, len(a.Platforms))
	for _, k := range a.Kernels {
		for _, t := range k.Times {
			list[t.Platform]++
		}
	}
	for p := range list {
		_, fpga := a.Devices[p]
		switch {
		case list[p] == 0:
		case fpga:
			list[p] = 1
		case cores > 0:
			list[p] = cores
		case a.Counts != nil && a.Counts[p] > 0:
			list[p] = a.Counts[p]
		}
	}
	return list
}

// coreNames returns the array name of the cores of each platform.
func (a *Application) coreNames() []string {
	if a.Arrays != nil {
		return a.Arrays
	}
	given := newNames(append(reservedTypes(), a.Platforms...)...)
	list := make([]string, len(a.Platforms))
	for p := range list {
		list[p] = given.quiet(a.Platforms[p] + "_core")
	}
	return list
}

// WriteArch writes the architecture of the file. If the file has no architecture, WriteArch writes cores of each
// processor type, connected by a memory without delay.
func (a *Application) WriteArch(w io.Writer, cores int) error {
	b := a.header(w)
	if len(a.Cores) > 0 {
		for _, c := range a.Cores {
			fmt.Fprintf(b, "resource %s is %s;\n", c.Name, a.Platforms[c.Platform])
		}
		for _, l := range a.Links {
			latency := ""
			if l.Latency != "" {
				latency = fmt.Sprintf(", latency=\"%s\"", l.Latency)
			}
			fmt.Fprintf(b, "resource %s is bus ({ %s, %s }, bandwidth=\"inf\"%s, from=\"published: %s\");\n", l.Name,
				a.Cores[l.A].Name, a.Cores[l.B].Name, latency, a.Source)
		}
		return b.Flush()
	}
	names, list := a.coreNames(), a.coresOf(cores)
	var all []string
	for p, n := range list {
		if n > 0 {
			fmt.Fprintf(b, "resource %s[%d] is %s", names[p], n, a.Platforms[p])
			if area, ok := a.Devices[p]; ok {
				fmt.Fprintf(b, " (%s)", area)
			}
			fmt.Fprintln(b, ";")
			all = append(all, names[p])
		}
	}
	if len(all) > 0 {
		link := "memory"
		if len(a.Devices) > 0 {
			link = "bus"
		}
		fmt.Fprintf(b, "// The file does not describe communication.\nresource %s is %s ({ %s }, "+
			"bandwidth=\"inf\", from=\"assumed: data moves at no cost\");\n",
			newNames(append(slices.Clone(names), a.Platforms...)...).quiet("shared"), link, strings.Join(all, ", "))
	}
	return b.Flush()
}

// WriteMap writes a mapping to the cores that WriteArch defines for a file without an architecture. The kernels of each
// default processor type are mapped to the cores of this type in rotation.
func (a *Application) WriteMap(w io.Writer, cores int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s%s\n\n", Header, a.Source)
	names, list := a.coreNames(), a.coresOf(cores)
	next := make([]int, len(list))
	for _, k := range a.Kernels {
		if len(k.Times) == 0 {
			continue
		}
		p := k.Times[k.Default].Platform
		n := k.Core - 1
		if n < 0 {
			n = next[p]
			next[p]++
		}
		fmt.Fprintf(b, "map { %s.%s } to %s[%d];\n", a.Name, k.Name, names[p], n%list[p]+1)
	}
	return b.Flush()
}
