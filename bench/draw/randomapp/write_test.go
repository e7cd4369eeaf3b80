package randomapp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write writes the application to a folder: app.x, arch.x, map.x, and the source of each kernel. A source ends after
// elements firings, multiplied by its Times.
func (a *App) Write(dir string, elements int) error {
	files := map[string]string{"app.x": a.app(elements), "arch.x": a.arch(), "map.x": a.mapping()}
	for k := range a.Kernels {
		files[a.Kernels[k].Name+".c"] = a.source(k)
	}
	var errs []error
	for name, text := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing a random application: %w", err)
	}
	return nil
}

// block returns the name of a kernel's block.
func block(k *Kernel) string { return strings.ToUpper(k.Name) }

// endpoints returns the sizes in bytes of the elements of a kernel's inputs and outputs.
func (a *App) endpoints(k int) (in, out []int) {
	in, out = make([]int, a.Kernels[k].Inputs), make([]int, len(a.Kernels[k].Sends))
	for i := range a.Edges {
		e := &a.Edges[i]
		if e.To == k {
			in[e.Input] = e.Bytes
		}
		if e.From == k {
			out[e.Output] = e.Bytes
		}
	}
	return in, out
}

func (a *App) app(elements int) string {
	var x strings.Builder
	fmt.Fprintf(&x, "// An application that was drawn, with seed %d.\n#include \"std.x\"\n", a.Seed)
	for k := range a.Kernels {
		a.writeBlock(&x, k, elements)
	}
	x.WriteString("block top {\n")
	for k := range a.Kernels {
		fmt.Fprintf(&x, "    %s %s;\n", block(&a.Kernels[k]), a.Kernels[k].Name)
	}
	for i := range a.Edges {
		e := &a.Edges[i]
		fmt.Fprintf(&x, "    e%d: %s.y%d -> %s.x%d", i, a.Kernels[e.From].Name, e.Output, a.Kernels[e.To].Name, e.Input)
		if e.Initial > 0 {
			fmt.Fprintf(&x, " (initial=%d)", e.Initial)
		}
		x.WriteString(";\n")
	}
	x.WriteString("};\nuse top;\n")
	return x.String()
}

// writeBlock writes the block of a kernel, its implementation and its figures.
func (a *App) writeBlock(x *strings.Builder, k, elements int) {
	kernel := &a.Kernels[k]
	in, out := a.endpoints(k)
	fmt.Fprintf(x, "block %s {\n", block(kernel))
	if len(in) == 0 {
		fmt.Fprintf(x, "    config UNSIGNED64 elements = %d;\n", elements*max(kernel.Times, 1))
	}
	for i, bytes := range in {
		fmt.Fprintf(x, "    input UNSIGNED8[%d] x%d;\n", bytes, i)
	}
	for i, bytes := range out {
		fmt.Fprintf(x, "    output UNSIGNED8[%d] y%d;\n", bytes, i)
	}
	counts := func(word, port string, list []int) {
		for i, n := range list {
			fmt.Fprintf(x, "%s%d %s%d", word, n, port, i)
			word = ", "
		}
		if len(list) > 0 {
			x.WriteString(";\n")
		}
	}
	counts("    join ", "x", kernel.Consumes)
	figures := ""
	switch {
	case kernel.Filter > 0:
		figures = fmt.Sprintf(", gain=%.17g", kernel.Filter*float64(out[0]*kernel.Sends[0])/float64(in[0]))
	case kernel.Choose > 0:
		figures = fmt.Sprintf(", gain=%.17g", float64(out[0])/float64(in[0]))
	default:
		counts("    emit ", "y", kernel.Sends)
	}
	x.WriteString("};\n")
	if kernel.Choose > 0 {
		fmt.Fprintf(x, "route %s.y0 = %g;\nroute %s.y1 = %.17g;\n", block(kernel), kernel.Choose, block(kernel),
			1-kernel.Choose)
	}
	fmt.Fprintf(x, "platform C { impl %s (src=\"%s.c\"); };\nimpl %s on C (time=\"%.3gus\", scv=%g%s, "+
		"from=\"assumed: drawn\");\n", block(kernel), kernel.Name, block(kernel), kernel.Time, kernel.SCV, figures)
}

// cores returns the number of cores. Each half of them has a memory.
func (a *App) cores() int {
	n := 2
	for _, c := range a.Cores {
		n = max(n, c)
	}
	return n + n%2
}

func (a *App) arch() string {
	var x strings.Builder
	cores, l := a.cores(), &a.Links[0]
	fmt.Fprintf(&x, "#include \"std.x\"\nresource proc[%d] is C;\n", cores)
	if cores == 2 {
		fmt.Fprintf(&x, "resource mem is memory ({ proc }, bandwidth=\"%gMB/s\", from=\"assumed: drawn\");\n",
			l.Bandwidth)
		return x.String()
	}
	for half := range 2 {
		fmt.Fprintf(&x, "resource mem%d is memory ({", half+1)
		for c := range cores / 2 {
			fmt.Fprintf(&x, " proc[%d],", half*cores/2+c+1)
		}
		x.WriteString(" }, bandwidth=\"10GB/s\", from=\"assumed: not a limit\");\n")
	}
	fmt.Fprintf(&x, "resource link is bus ({ proc }, bandwidth=\"%gMB/s\", latency=\"%gus\"", l.Bandwidth, l.Latency)
	if l.Bulk > 0 {
		fmt.Fprintf(&x, ", sharing=\"bulk\", overhead=\"1us\", bulk=\"%dB\"", l.Bulk)
	}
	if l.Flush > 0 {
		fmt.Fprintf(&x, ", flush=\"%gus\"", l.Flush)
	}
	x.WriteString(", from=\"assumed: drawn\");\n")
	return x.String()
}

func (a *App) mapping() string {
	var x strings.Builder
	for k := range a.Kernels {
		fmt.Fprintf(&x, "map { top.%s } to proc[%d];\n", a.Kernels[k].Name, a.Cores[k])
	}
	half := a.cores() / 2
	for i := range a.Edges {
		from, to := a.Cores[a.Edges[i].From], a.Cores[a.Edges[i].To]
		switch {
		case from == to:
		case half == 1:
			fmt.Fprintf(&x, "map { top.e%d } to mem;\n", i)
		case a.Edges[i].Link || (from > half) != (to > half):
			fmt.Fprintf(&x, "map { top.e%d } to link;\n", i)
		default:
			fmt.Fprintf(&x, "map { top.e%d } to mem%d;\n", i, 1+(from-1)/half)
		}
	}
	return x.String()
}

// source returns the C source of a kernel. Data-dependent decisions follow a hash of its number of firings.
func (a *App) source(k int) string {
	kernel := &a.Kernels[k]
	name := block(kernel)
	var x strings.Builder
	fmt.Fprintf(&x, `#include <stdlib.h>
#include <string.h>
#include "X_%[1]s.h"

struct state { uint64_t fired; };

void X_%[1]s_init(X_%[1]s *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("no memory");
}

static double drawn(uint64_t n) { /* from 0 to 1 */
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)((n ^ (n >> 31)) >> 11) / 9007199254740992.0;
}

static void fire(X_%[1]s *d) {
    struct state *s = d->state;
    double data = drawn(s->fired++);
    (void)data;
`, name)
	_, out := a.endpoints(k)
	for i, n := range kernel.Sends {
		condition := ""
		switch {
		case kernel.Filter > 0:
			condition = fmt.Sprintf("if (data < %.17g) ", kernel.Filter)
		case kernel.Choose > 0 && i == 0:
			condition = fmt.Sprintf("if (data < %.17g) ", kernel.Choose)
		case kernel.Choose > 0:
			condition = fmt.Sprintf("if (data >= %.17g) ", kernel.Choose)
		}
		fmt.Fprintf(&x, "    %[1]s{\n        memset(X_%[2]s_y%[3]d(d, %[4]d), (int)s->fired, %[5]d);\n"+
			"        X_%[2]s_y%[3]d_send(d, %[4]d);\n    }\n", condition, name, i, n, n*out[i])
	}
	x.WriteString("}\n\n")
	a.writeCall(&x, k)
	fmt.Fprintf(&x, "\nvoid X_%[1]s_destroy(X_%[1]s *d) { free(d->state); }\n", name)
	return x.String()
}

// writeCall writes the function that the runtime calls: go for a source, push for the others.
func (a *App) writeCall(x *strings.Builder, k int) {
	kernel := &a.Kernels[k]
	name := block(kernel)
	if kernel.Inputs == 0 {
		fmt.Fprintf(x, `int X_%[1]s_go(X_%[1]s *d) {
    if (((struct state *)d->state)->fired >= d->config.elements)
        return 1;
    fire(d);
    return 0;
}
`, name)
		return
	}
	fmt.Fprintf(x, "void X_%[1]s_push(X_%[1]s *d) {\n", name)
	if kernel.Consumes == nil {
		for i := range kernel.Inputs {
			fmt.Fprintf(x, "    while (X_%[1]s_x%[2]d_avail(d) > 0) {\n        X_%[1]s_x%[2]d_release(d, 1);\n"+
				"        fire(d);\n    }\n", name, i)
		}
		x.WriteString("}\n")
		return
	}
	x.WriteString("    while (")
	for i, n := range kernel.Consumes {
		if i > 0 {
			x.WriteString(" && ")
		}
		fmt.Fprintf(x, "X_%s_x%d_avail(d) >= %d", name, i, n)
	}
	x.WriteString(") {\n")
	for i, n := range kernel.Consumes {
		fmt.Fprintf(x, "        X_%s_x%d_release(d, %d);\n", name, i, n)
	}
	x.WriteString("        fire(d);\n    }\n}\n")
}
