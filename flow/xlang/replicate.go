package xlang

import (
	"fmt"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// Replica identifies one of several copies of a kernel, and its part of the stream.
//
// Copied kernels that are connected by edges form a region. Each copy receives the complete stream that enters the
// region, and processes its own part of the stream: its batches of firings, or the firings with its keys. The output of
// the copies leaves the region in the order of the input.
type Replica struct {
	Of    string // the declared kernel
	Index int    // from 0
	Count int
	Turns []int // the copy that processes each batch of a round
	// Batch is the number of firings in a batch, for the kernel at which the stream divides. If keys select the copies,
	// Batch is the maximum number.
	Batch    int
	MinBatch int  // firings of the shortest batch with an integer number of firings of all following kernels
	Key      int  // the input whose values select the copy; -1 if copies process batches in turn
	Entry    bool // the stream divides at this kernel
	Unit     int  // number of the unit; a copy sends to the copies of its unit with the same Index
	Region   int  // from 0
}

// Own returns the number of batches in a round that the copy processes.
func (r *Replica) Own() int {
	n := 0
	for _, c := range r.Turns {
		if c == r.Index {
			n++
		}
	}
	return n
}

// Declared returns the declared name of a kernel. For a copy, it returns the name of the original kernel.
func (k *Kernel) Declared() string {
	if k.Replica != nil {
		return k.Replica.Of
	}
	return k.Name
}

// Replicate returns the program with a kernel for each copy in its mapping. If there are no copies, it returns p.
// Copies of top.fir are named top.fir#1, top.fir#2 and so on. An edge to or from copies becomes one edge per copy.
// Constraints, buffers and figures apply to each copy. The error is a [Diagnostics] about kernels that must not be
// copied.
func (p *Program) Replicate() (*Program, error) {
	r := replicator{p: p, copies: make([]*Map, len(p.Kernels)), region: make([]int, len(p.Kernels))}
	for i := range p.Maps {
		if m := &p.Maps[i]; m.Kernel >= 0 && len(m.Copies) > 1 {
			r.copies[m.Kernel] = m
			r.any = true
		}
	}
	if !r.any {
		return p, nil
	}
	r.check()
	if len(r.diags) == 0 {
		r.regions()
	}
	if len(r.diags) > 0 {
		return nil, r.diags
	}
	return r.program(), nil
}

// replicator creates copies of kernels.
type replicator struct {
	p          *Program
	copies     []*Map // by kernel: statement that maps its copies; nil for a single copy
	any        bool
	region     []int        // by kernel, -1 for none
	entries    []int        // by region: the kernel at which its stream enters
	batch      []int        // by region: firings of a batch
	minBatches []int        // by region: firings of the shortest batch
	sent       [][]*big.Rat // by region and kernel: its firings per firing of the entry; nil if unknown
	kernels    [][]int      // by kernel: its copies in the new program
	diags      Diagnostics
	refused    []bool // by kernel: whether it must not be copied; nil except for Copyable
}

// Copyable reports, for each kernel, whether the kernel may run in copies.
func (p *Program) Copyable() []bool {
	n := len(p.Kernels)
	r := replicator{p: p, copies: make([]*Map, n), refused: make([]bool, n)}
	for k := range r.copies {
		r.copies[k] = &Map{Kernel: k}
	}
	r.check()
	for k := range r.refused {
		r.refused[k] = !r.refused[k]
	}
	return r.refused
}

func (r *replicator) fail(id fault.ID, k int, hint, format string, args ...any) {
	if r.refused != nil {
		r.refused[k] = true
		return
	}
	r.diags.add(id, r.copies[k].Pos, fmt.Sprintf(format, args...), hint)
}

// check reports the kernels that must not be copied, such as kernels with state, kernels in loops, and kernels that
// consume from several edges in the order of arrival.
func (r *replicator) check() {
	if !slices.ContainsFunc(r.copies, func(m *Map) bool { return m != nil }) {
		return
	}
	once, loops := r.p.SentOnce(), slices.Concat(r.p.Loops()...)
	for k, m := range r.copies {
		if m == nil {
			continue
		}
		kernel := &r.p.Kernels[k]
		switch {
		case len(kernel.Inputs) == 0 && kernel.Stateless == nil:
			r.fail(faults.CannotCopy, k, "if the output of a firing depends only on the index of the firing, "+
				"declare this in block "+kernel.Block+": stateless;", "kernel %s is a source that may keep state "+
				"from firing to "+
				"firing, and cannot be copied", kernel.Name)
		case len(kernel.Inputs) == 0:
			if len(kernel.Outputs) != 1 || kernel.Emits == nil || kernel.Emits[0].Elements != 1 {
				r.fail(faults.CannotCopy, k, "declare one output y, with emit y; or map the kernel to one resource",
					"kernel %s is a source that does not send one element in each firing, and cannot be copied",
					kernel.Name)
			}
		case kernel.Stateless == nil:
			r.fail(faults.CannotCopy, k, "if no firing depends on another firing, declare this in block "+
				kernel.Block+": stateless;", "kernel %s may keep state from firing to firing, and cannot be copied",
				kernel.Name)
		case kernel.Stateless.Key >= 0 && once[k][kernel.Stateless.Key]:
			r.fail(faults.CannotCopy, k, "name an input that is a stream: stateless by key …;", "kernel %s selects "+
				"copies by the key %s, which is sent once", kernel.Name, kernel.Inputs[kernel.Stateless.Key].Name)
		case slices.Contains(loops, k):
			r.fail(faults.CannotCopy, k, "map the kernel to one resource", "kernel %s is in a loop, and cannot be "+
				"copied", kernel.Name)
		case !r.p.consumesTogether(k, once[k]):
			r.fail(faults.CannotCopy, k, "join its inputs, so that a firing does not depend on the order of arrival",
				"kernel %s consumes elements of several edges in the order of arrival, and cannot be copied",
				kernel.Name)
		}
	}
}

// consumesTogether reports whether a kernel consumes from all of its inputs together, and each input has one edge. It
// ignores inputs whose data are sent once.
func (p *Program) consumesTogether(k int, once []bool) bool {
	edges := make([]int, len(p.Kernels[k].Inputs))
	for _, e := range p.Edges {
		if e.To == k {
			edges[e.ToPort]++
		}
	}
	streams, joined := 0, 0
	for i, n := range edges {
		if once[i] {
			continue
		}
		if n > 1 {
			return false
		}
		streams++
	}
	for _, j := range p.Kernels[k].Joins {
		for _, port := range j.Ports {
			if !once[port] {
				joined++
			}
		}
	}
	return streams == 1 || len(p.Kernels[k].Joins) == 1 && joined == streams
}

// Loops returns the sets of kernels that can all reach each other, and the single kernels with an edge to themselves.
// Kernels of a set are in ascending order, and sets are sorted by their first kernel.
func (p *Program) Loops() (loops [][]int) {
	g, own := simple.NewDirectedGraph(), make([]bool, len(p.Kernels))
	for k := range p.Kernels {
		g.AddNode(simple.Node(k))
	}
	for _, e := range p.Edges {
		if e.From == e.To {
			own[e.From] = true
		} else {
			g.SetEdge(simple.Edge{F: simple.Node(e.From), T: simple.Node(e.To)})
		}
	}
	for _, component := range topo.TarjanSCC(g) {
		var kernels []int
		for _, k := range component {
			kernels = append(kernels, int(k.ID()))
		}
		if len(kernels) > 1 || own[kernels[0]] {
			slices.Sort(kernels)
			loops = append(loops, kernels)
		}
	}
	slices.SortFunc(loops, slices.Compare)
	return loops
}

// regions finds the regions: the sets of copied kernels that are connected by edges. For each region, it finds the
// kernel at which the stream enters, and the size of a batch.
func (r *replicator) regions() {
	for k := range r.region {
		r.region[k] = -1
	}
	once := r.p.SentOnce()
	for k := range r.region {
		if r.copies[k] == nil || r.region[k] >= 0 {
			continue
		}
		n := len(r.entries)
		r.region[k] = n
		for changed := true; changed; {
			changed = false
			for _, e := range r.p.Edges {
				from, to := r.region[e.From] == n, r.region[e.To] == n
				if from != to && r.copies[e.From] != nil && r.copies[e.To] != nil && !once[e.To][e.ToPort] {
					r.region[e.From], r.region[e.To], changed = n, n, true
				}
			}
		}
		r.entries = append(r.entries, r.entry(n, once))
		r.batch = append(r.batch, 0)
		if r.entries[n] >= 0 && len(r.diags) == 0 {
			r.keys(n, once)
			r.batch[n] = r.batchOf(n, once)
		}
	}
}

// entry returns the kernel through which the stream enters a region. If there are several such kernels, it reports an
// error and returns -1.
func (r *replicator) entry(region int, once [][]bool) int {
	entry := -1
	inside := make([]bool, len(r.p.Kernels)) // kernels with input from other kernels of the region
	for _, e := range r.p.Edges {
		if r.region[e.To] == region && r.region[e.From] == region {
			inside[e.To] = true
		}
	}
	for k := range r.p.Kernels {
		if r.region[k] != region || len(r.p.Kernels[k].Inputs) > 0 {
			continue
		}
		if entry >= 0 {
			r.fail(faults.CannotCopy, k, "map one source to one resource", "copies receive data from copies of "+
				"the sources %s and %s, but only one of these sources can be copied", r.p.Kernels[entry].Name,
				r.p.Kernels[k].Name)
			return -1
		}
		entry = k // the stream starts here
	}
	for _, e := range r.p.Edges {
		if r.region[e.To] != region || r.region[e.From] == region || once[e.To][e.ToPort] {
			continue
		}
		switch {
		case inside[e.To]:
			r.fail(faults.CannotCopy, e.To, "also copy the sender, or map the receiver to one resource",
				"kernel %s receives elements from copies and, over %s, from a kernel without copies",
				r.p.Kernels[e.To].Name, e.Name)
			return -1
		case entry >= 0 && entry != e.To:
			r.fail(faults.CannotCopy, e.To, "also copy the kernel before both, or copy only one of the kernels",
				"the stream reaches the copies of %s and of %s separately, and both send to the same copies",
				r.p.Kernels[entry].Name, r.p.Kernels[e.To].Name)
			return -1
		}
		entry = e.To
	}
	return entry
}

// keys rejects a selection of copies by key at a kernel other than the entry of a region. It also rejects edges from
// copies selected by key to copies of another unit.
func (r *replicator) keys(region int, once [][]bool) {
	entry := r.entries[region]
	keyed := r.p.Kernels[entry].Stateless.Key >= 0
	for k := range r.region {
		if r.region[k] != region || k == entry {
			continue
		}
		if r.p.Kernels[k].Stateless.Key >= 0 {
			r.fail(faults.CannotCopy, k, "copy only the kernels from "+r.p.Kernels[k].Name+" on", "kernel %s "+
				"selects copies by key, but the stream divides earlier, at %s", r.p.Kernels[k].Name,
				r.p.Kernels[entry].Name)
		}
	}
	for _, e := range r.p.Edges {
		if keyed && r.region[e.From] == region && r.region[e.To] == region &&
			r.copies[e.From].Unit != r.copies[e.To].Unit && !once[e.To][e.ToPort] {
			r.fail(faults.CannotCopy, e.To, "map both kernels in one statement, as a unit", "copies of %s, which a "+
				"key selects, send to copies of %s in another unit", r.p.Kernels[e.From].Name, r.p.Kernels[e.To].Name)
		}
	}
}

// Round returns the copy that processes each batch of a round. turns contains the number of batches per round of each
// copy. Each batch goes to the copy with the largest deficit relative to its proportion of the batches.
func Round(turns []int) []int {
	total := 0
	for _, n := range turns {
		total += n
	}
	claim := make([]int, len(turns))
	round := make([]int, 0, total)
	for range total {
		next := 0
		for i, n := range turns {
			claim[i] += n
			if claim[i] > claim[next] {
				next = i
			}
		}
		claim[next] -= total
		round = append(round, next)
	}
	return round
}

// round returns the copy that processes each batch of a round.
func round(copies []Copy) []int {
	turns := make([]int, len(copies))
	for i, c := range copies {
		turns[i] = c.Turns
	}
	return Round(turns)
}

// program creates the new program.
func (r *replicator) program() *Program {
	q := *r.p
	q.Kernels, q.Edges, q.Maps = nil, nil, nil
	for k, kernel := range r.p.Kernels {
		r.kernels = append(r.kernels, nil)
		m := r.copies[k]
		if m == nil {
			r.kernels[k] = []int{len(q.Kernels)}
			q.Kernels = append(q.Kernels, kernel)
			continue
		}
		entry := r.entries[r.region[k]]
		for i := range m.Copies {
			r.kernels[k] = append(r.kernels[k], len(q.Kernels))
			c := kernel
			c.Name = CopyName(kernel.Name, i)
			c.Replica = &Replica{Of: kernel.Name, Index: i, Count: len(m.Copies), Turns: round(m.Copies),
				Batch: r.batch[r.region[k]], MinBatch: r.minBatches[r.region[k]],
				Key: -1, Entry: k == entry, Unit: m.Unit, Region: r.region[k]}
			if c.Replica.Entry {
				c.Replica.Key = kernel.Stateless.Key
			}
			q.Kernels = append(q.Kernels, c)
		}
	}
	edges := r.edges(&q)
	r.statements(&q, edges)
	return &q
}

// edges creates the edges of the new program. It returns the indices of the new edges of each declared edge.
func (r *replicator) edges(q *Program) [][]int {
	once := r.p.SentOnce()
	became := make([][]int, len(r.p.Edges))
	for e, edge := range r.p.Edges {
		from, to := r.kernels[edge.From], r.kernels[edge.To]
		add := func(i, j int, share float64, shared bool) {
			x := edge
			x.From, x.To, x.Share, x.Shared, x.Origin = from[i], to[j], share, shared, e+1
			x.Round, x.Batch = r.roundOf(&edge), r.counted(&edge)
			switch {
			case len(from) > 1 && len(to) > 1 && shared:
				x.Name = fmt.Sprintf("%s#%d.%d", edge.Name, i+1, j+1)
			case len(from) > 1:
				x.Name = fmt.Sprintf("%s#%d", edge.Name, i+1)
			case len(to) > 1:
				x.Name = fmt.Sprintf("%s#%d", edge.Name, j+1)
			}
			became[e] = append(became[e], len(q.Edges))
			q.Edges = append(q.Edges, x)
		}
		m, n := r.copies[edge.From], r.copies[edge.To]
		switch {
		case n == nil || once[edge.To][edge.ToPort]:
			for i := range from {
				for j := range to {
					add(i, j, 1, false)
				}
			}
		case m == nil:
			for j, share := range shares(nil, n, 0) {
				add(0, j, share, true)
			}
		case m.Unit == n.Unit:
			for i := range from {
				add(i, i, 1, false)
			}
		default:
			for i := range from {
				for j, share := range shares(m, n, i) {
					if share > 0 {
						add(i, j, share, true)
					}
				}
			}
		}
	}
	return became
}

// shares returns the fraction of the batches of copy i that each copy of the next kernel receives. If m is nil, shares
// returns the fractions of all batches.
func shares(m, n *Map, i int) []float64 {
	from, copies := []int{0}, 1
	if m == nil {
		i = 0
	} else {
		from, copies = round(m.Copies), len(m.Copies)
	}
	all := Meetings(from, round(n.Copies), copies, len(n.Copies))
	part := all[i*len(n.Copies) : (i+1)*len(n.Copies)]
	floats.Scale(1/floats.Sum(part), part)
	return part
}

// Meetings returns the fraction of the batches that flow from copy i of n copies to copy j of m copies, at index
// i·m + j. from and to contain the copy that processes each batch of a round ([Round]).
//
// Batch b is at position b mod |from| in from and at position b mod |to| in to. These positions have the same remainder
// modulo g, the greatest common divisor of |from| and |to|. By the Chinese remainder theorem, all pairs of positions
// with the same remainder are equally frequent.
func Meetings(from, to []int, n, m int) []float64 {
	g := int(new(big.Int).GCD(nil, nil, big.NewInt(int64(len(from))), big.NewInt(int64(len(to)))).Int64())
	batches := make([]float64, g*m) // by remainder and copy in to
	for i, y := range to {
		batches[i%g*m+y]++
	}
	part := make([]float64, n*m)
	for i, x := range from {
		floats.AddScaled(part[x*m:(x+1)*m], float64(g)/float64(len(from)*len(to)), batches[i%g*m:(i%g+1)*m])
	}
	return part
}

// statements copies the statements of the program for each copy.
func (r *replicator) statements(q *Program, edges [][]int) {
	kernels := func(list []int) (all []int) {
		for _, k := range list {
			all = append(all, r.kernels[k]...)
		}
		return all
	}
	for _, m := range r.p.Maps {
		switch {
		case m.Kernel >= 0:
			for i, k := range r.kernels[m.Kernel] {
				x := m
				x.Kernel, x.Copies = k, nil
				if len(m.Copies) > 1 {
					x.Resource = m.Copies[i].Resource
				}
				q.Maps = append(q.Maps, x)
			}
		default:
			for _, e := range edges[m.Edge] {
				x := m
				x.Edge = e
				q.Maps = append(q.Maps, x)
			}
		}
	}
	q.Buffers, q.Fixes, q.Forbids, q.Together, q.Separate = nil, nil, nil, nil, nil
	for _, b := range r.p.Buffers {
		for _, e := range edges[b.Edge] {
			x := b
			x.Edge = e
			q.Buffers = append(q.Buffers, x)
		}
	}
	for _, f := range r.p.Fixes {
		q.Fixes = append(q.Fixes, Place{kernels(f.Kernels), f.Resources, f.Pos})
	}
	for _, f := range r.p.Forbids {
		q.Forbids = append(q.Forbids, Place{kernels(f.Kernels), f.Resources, f.Pos})
	}
	for _, g := range r.p.Together {
		q.Together = append(q.Together, r.together(g)...)
	}
	q.Together = append(q.Together, r.units()...)
	for _, g := range r.p.Separate {
		q.Separate = append(q.Separate, r.separateGroups(g)...)
	}
}

// units returns groups of kernels that stay together: for each unit, one group per copy.
func (r *replicator) units() []Group {
	var groups []Group
	at := make(map[[2]int]int)
	for k, m := range r.copies {
		if m == nil {
			continue
		}
		for i, copied := range r.kernels[k] {
			key := [2]int{m.Unit, i}
			if _, ok := at[key]; !ok {
				at[key] = len(groups)
				groups = append(groups, Group{Pos: m.Pos})
			}
			groups[at[key]].Kernels = append(groups[at[key]].Kernels, copied)
		}
	}
	return slices.DeleteFunc(groups, func(g Group) bool { return len(g.Kernels) < 2 })
}

// together returns the groups into which a group expands. If the kernels of the group belong to one unit, the copies
// with the same index stay together. Otherwise, all copies of the kernels stay together.
func (r *replicator) together(g Group) []Group {
	unit := 0
	for i, k := range g.Kernels {
		m := r.copies[k]
		if m == nil || i > 0 && m.Unit != unit {
			unit = -1
			break
		}
		unit = m.Unit
	}
	if unit <= 0 {
		var all []int
		for _, k := range g.Kernels {
			all = append(all, r.kernels[k]...)
		}
		return []Group{{all, g.Pos}}
	}
	groups := make([]Group, len(r.kernels[g.Kernels[0]]))
	for i := range groups {
		groups[i].Pos = g.Pos
		for _, k := range g.Kernels {
			groups[i].Kernels = append(groups[i].Kernels, r.kernels[k][i])
		}
	}
	return groups
}

// separateGroups returns the groups for the copies of a group. All of these copies must be on different resources,
// including the copies of one kernel.
func (r *replicator) separateGroups(g Group) []Group {
	var all []int
	for _, k := range g.Kernels {
		all = append(all, r.kernels[k]...)
	}
	slices.Sort(all)
	return []Group{{slices.Compact(all), g.Pos}}
}

// CopyName returns the name of a copy of a kernel. copy counts from 0; the number in the name counts from 1.
func CopyName(kernel string, copy int) string { return fmt.Sprintf("%s#%d", kernel, copy+1) }
