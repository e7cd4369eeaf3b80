package stateless

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"xopt/flow/xlang"
)

// relay is a kernel that forwards an output of another kernel. It restores the order after copies. Its own output is
// therefore a single stream for comparison.
type relay struct {
	kernel, port int // the kernel and port whose output it forwards
	in           int // edge that it reads
	out          int // an edge that carries its output
}

// relaySource is the C code of a relay.
const relaySource = `#include <string.h>
#include "X_%[1]s.h"

void X_%[1]s_init(X_%[1]s *d) { (void)d; }
void X_%[1]s_destroy(X_%[1]s *d) { (void)d; }

void X_%[1]s_push(X_%[1]s *d) {
    while (X_%[1]s_x_avail(d) > 0) {
        void *y = X_%[1]s_y(d, 1);
        memcpy(y, X_%[1]s_x(d), %[2]d);
        X_%[1]s_x_release(d, 1);
        X_%[1]s_y_send(d, 1);
    }
}
`

// withRelays adds a relay after every output of the kernels, and writes the sources of the relays to a folder. Kernels
// and edges keep their numbers. Edges that left such an output now leave its relay.
func withRelays(p *xlang.Program, kernels []int, dir string) (*xlang.Program, []relay, error) {
	q := *p
	q.Kernels, q.Edges = slices.Clone(p.Kernels), slices.Clone(p.Edges)
	q.Impls, q.Maps = slices.Clone(p.Impls), slices.Clone(p.Maps)
	var relays []relay
	for _, k := range kernels {
		for port, out := range p.Kernels[k].Outputs {
			var edges []int
			for e := range p.Edges {
				if p.Edges[e].From == k && p.Edges[e].FromPort == port {
					edges = append(edges, e)
				}
			}
			if len(edges) == 0 {
				continue
			}
			block := fmt.Sprintf("XOPT_RELAY_%d", len(relays)+1)
			file := fmt.Sprintf("relay%d.c", len(relays)+1)
			if err := os.WriteFile(filepath.Join(dir, file), fmt.Appendf(nil, relaySource, block,
				int(out.ElementBytes)), 0o644); err != nil {
				return nil, nil, fmt.Errorf("writing the source of a relay: %w", err)
			}
			number := len(q.Kernels)
			x, y := out, out
			x.Name, y.Name = "x", "y"
			name := p.Kernels[k].Name + "." + out.Name + ".relay"
			q.Kernels = append(q.Kernels, xlang.Kernel{Name: name, Block: block, Inputs: []xlang.Port{x},
				Outputs: []xlang.Port{y}, Emits: []xlang.Emit{{Elements: 1}}, Pos: p.Kernels[k].Pos})
			for _, e := range edges {
				q.Edges[e].From, q.Edges[e].FromPort = number, 0
			}
			relays = append(relays, relay{k, port, len(q.Edges), edges[0]})
			q.Edges = append(q.Edges, xlang.Edge{Name: name + ".x", From: k, To: number, FromPort: port,
				Pos: p.Edges[edges[0]].Pos})
			at := placeOf(p, k)
			q.Impls = append(q.Impls, xlang.Impl{Block: block, Platform: p.Resources[at].Platform,
				Attrs: xlang.Values{"src": {Text: file, Quoted: true}}, Dir: dir})
			q.Maps = append(q.Maps, xlang.Map{Kernel: number, Edge: -1, Resource: at})
		}
	}
	return &q, relays, nil
}

// placeOf returns the resource of a kernel; -1 if it is not mapped.
func placeOf(p *xlang.Program, k int) int {
	for i := range p.Maps {
		if p.Maps[i].Kernel == k {
			return p.Maps[i].Resource
		}
	}
	return -1
}
