package randomapp

import (
	"fmt"
	"strings"
)

// source is the C source of a kernel. What depends on data follows a hash of how often it has fired.
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
	_, out := a.ends(k)
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

// writeCall writes what the runtime calls: go of a source, push of the others.
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
	if kernel.Takes == nil {
		for i := range kernel.Inputs {
			fmt.Fprintf(x, "    while (X_%[1]s_x%[2]d_avail(d) > 0) {\n        X_%[1]s_x%[2]d_release(d, 1);\n"+
				"        fire(d);\n    }\n", name, i)
		}
		x.WriteString("}\n")
		return
	}
	x.WriteString("    while (")
	for i, n := range kernel.Takes {
		if i > 0 {
			x.WriteString(" && ")
		}
		fmt.Fprintf(x, "X_%s_x%d_avail(d) >= %d", name, i, n)
	}
	x.WriteString(") {\n")
	for i, n := range kernel.Takes {
		fmt.Fprintf(x, "        X_%s_x%d_release(d, %d);\n", name, i, n)
	}
	x.WriteString("        fire(d);\n    }\n}\n")
}
