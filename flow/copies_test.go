package flow_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// cores is the number of cores in random applications with copies.
const cores = 6

// copiedApplication returns a random chain of kernels between a source and one or two sinks. Most are stateless, and
// consume and send one to three elements per firing. Its mapping runs some of them, and units of them, in copies with
// unequal turns.
func copiedApplication(random *rand.Rand) string {
	var blocks, app, maps strings.Builder
	n, split := 2+random.IntN(7), 0
	if random.IntN(2) == 0 {
		split = 1 + random.IntN(n)
	}
	stateless := make([]bool, n+1)
	for i := 1; i <= n; i++ {
		word := ""
		if stateless[i] = random.IntN(4) > 0; stateless[i] {
			word = " stateless;"
		}
		second, sends := "", ""
		if i == split {
			second, sends = ", z", fmt.Sprintf(" emit %d z;", 1+random.IntN(3))
		}
		fmt.Fprintf(&blocks, "block K%d { input UNSIGNED8[8] x; output UNSIGNED8[8] y%s; join %d x; emit %d y;%s%s "+
			"};\nimpl K%[1]d on C (time=\"%[7]gus\");\n", i, second, 1+random.IntN(3), 1+random.IntN(3), sends, word,
			0.5+20*random.Float64())
		fmt.Fprintf(&app, "K%d k%[1]d; ", i)
	}
	from := "s"
	for i := 1; i <= n; i++ {
		port := ""
		if from == fmt.Sprintf("k%d", split) {
			port = ".y"
		}
		fmt.Fprintf(&app, "e%d: %s%s -> k%[1]d; ", i, from, port)
		from = fmt.Sprintf("k%d", i)
	}
	port := ""
	if split == n {
		port = ".y"
	}
	fmt.Fprintf(&app, "last: %s%s -> d; ", from, port)
	if split > 0 {
		fmt.Fprintf(&app, "D other; side: k%d.z -> other; ", split)
		fmt.Fprintf(&maps, "map { top.other } to p[%d];\n", 1+random.IntN(cores))
	}
	fmt.Fprintf(&maps, "map { top.s } to p[%d];\nmap { top.d } to p[%d];\n", 1+random.IntN(cores), 1+random.IntN(cores))
	for i := 1; i <= n; {
		unit := 1
		for random.IntN(2) == 0 && i+unit <= n && stateless[i] && stateless[i+unit] {
			unit++
		}
		var names []string
		for j := range unit {
			names = append(names, fmt.Sprintf("top.k%d", i+j))
		}
		to := fmt.Sprintf("p[%d]", 1+random.IntN(cores))
		if stateless[i] && random.IntN(4) > 0 {
			var on []string
			for _, r := range random.Perm(cores)[:2+random.IntN(3)] {
				on = append(on, fmt.Sprintf("%d p[%d]", 1+random.IntN(4), r+1))
			}
			to = strings.Join(on, " & ")
		}
		fmt.Fprintf(&maps, "map { %s } to %s;\n", strings.Join(names, ", "), to)
		i += unit
	}
	return fmt.Sprintf(`#include "std.x"
block S { output UNSIGNED8[8] y; emit y; };
block D { input UNSIGNED8[8] x; };
%sblock top { S s; D d; %s }; use top;
resource p[%d] is C;
resource mem is memory ({ p }, bandwidth="%dMB/s", overhead="%dns");
impl S on C (time="0.2us"); impl D on C (time="0.3us");
%s`, blocks.String(), app.String(), cores, 20+random.IntN(2000), random.IntN(300), maps.String())
}

// forCopies calls f with the designs of random applications some of whose kernels run in copies.
func forCopies(t *testing.T, count int, f func(t *testing.T, seed uint64, d *design.Design)) {
	t.Helper()
	consumed := 0
	for seed := range uint64(4 * count) {
		if consumed == count {
			return
		}
		text := copiedApplication(rand.New(rand.NewPCG(seed, 24)))
		p := flowtest.X{Dir: testkit.Files(t, map[string]string{"a.x": text}), Files: []string{"a.x"}}.Program(t)
		d, err := design.New(p, design.Options{Purpose: design.ForMapping})
		var refused xlang.Diagnostics
		if errors.As(err, &refused) { // such as a batch that no kernel takes whole firings of
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if len(d.Program.Kernels) > len(p.Kernels) {
			consumed++
			f(t, seed, d)
		}
	}
	t.Fatalf("only %d of %d applications could be copied", consumed, 4*count)
}

// byTurns computes the throughput of a mapping with copies from the turns alone. It uses the input of each kernel per
// element of the source, the part of each copy, and its time on its core.
func byTurns(t *testing.T, d *design.Design, n *flow.Network) float64 {
	t.Helper()
	p := d.Program
	into := make([]float64, len(p.Kernels)) // elements for one of the source
	for range p.Kernels {                   // as often as a chain is long
		next := make([]float64, len(p.Kernels))
		for _, e := range p.Edges {
			from := &p.Kernels[e.From]
			sent := 1.0
			if len(from.Inputs) > 0 {
				sent = into[e.From] / float64(from.Consumes(0)) * float64(from.Emits[e.FromPort].Elements)
			}
			if e.Shared {
				sent *= e.Share
			}
			next[e.To] += sent
		}
		into = next
	}
	const bytes = 8
	core, link := make([]float64, cores), 0.0
	for k := range p.Kernels {
		fig, elements := &d.Problem.Figures[k][d.Mapping.Place[k]], into[k]
		if len(p.Kernels[k].Inputs) == 0 {
			elements = 1
		}
		core[d.Mapping.Place[k]] += elements * bytes / fig.ServiceRate
	}
	for e := range p.Edges {
		edge := &p.Edges[e]
		if d.Mapping.Place[edge.From] == d.Mapping.Place[edge.To] {
			continue
		}
		from := &p.Kernels[edge.From]
		sent := 1.0
		if len(from.Inputs) > 0 {
			sent = into[edge.From] / float64(from.Consumes(0)) * float64(from.Emits[edge.FromPort].Elements)
		}
		if edge.Shared {
			sent *= edge.Share
		}
		l := &d.Problem.Architecture.Links[0]
		link += sent * (bytes/l.Bandwidth + l.Sharing.TransferCost)
	}
	longest := link
	for _, c := range core {
		longest = math.Max(longest, c)
	}
	return bytes / longest * flow.DefaultMaxUtilization
}

// TestCopiesByTurns: the throughput of mappings with copies is that which follows from their turns.
func TestCopiesByTurns(t *testing.T) {
	t.Parallel()
	count := 300
	if testing.Short() {
		count = 60
	}
	forCopies(t, count, func(t *testing.T, seed uint64, d *design.Design) {
		n, s := flowtest.Solve(t, d.Problem, d.Mapping)
		if want := byTurns(t, d, n); math.Abs(s.Throughput/want-1) > 1e-9 {
			t.Errorf("seed %d: throughput is %.12g, and %.12g by turns", seed, s.Throughput, want)
		}
	})
}
