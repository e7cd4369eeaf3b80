package unseen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// The minimum and maximum number of kernels of an application.
const (
	LeastKernels = 4
	MostKernels  = 20
)

// stream is an output without an edge.
type stream struct {
	kernel int
	index  int // index of the output in its array; -1 if it has none
	typ    Type
	n      int     // numbers per element
	rate   float64 // approximate number of elements per element of a source
	// lively is true if the bytes are text or take all values, so that parsers find something in them.
	lively bool
}

// bytes returns the size of an element in bytes.
func (s *stream) bytes() int { return s.n * s.typ.Size() }

type drawing struct {
	r *rand.Rand
	App
	named map[string]int
	size  int // number of kernels to draw
	side  bool
}

// Draw returns the application that a seed determines.
func Draw(seed uint64) *App {
	d := &drawing{r: rand.New(rand.NewPCG(seed, 21)), App: App{Seed: seed, Flags: make(map[string]string)},
		named: make(map[string]int)}
	d.size = LeastKernels + d.r.IntN(MostKernels-LeastKernels+1)
	s := d.source()
	if d.size >= 7 && d.r.IntN(4) == 0 {
		s = d.twoSources(s)
	}
	for d.left() > 1 {
		s = d.segment(s)
	}
	d.terminate("Digest", s)
	for i := range d.Kernels {
		b := d.Kernels[i].Block
		if _, is := d.Flags[b]; !is {
			d.Flags[b] = []string{"-O2", "-O3"}[d.r.IntN(2)]
		}
	}
	return &d.App
}

// left returns the number of kernels still to be drawn.
func (d *drawing) left() int { return d.size - len(d.Kernels) }

// pick returns a random one of the given values.
func (d *drawing) pick(values ...int) int { return values[d.r.IntN(len(values))] }

func (d *drawing) add(k Kernel) int {
	base := strings.ToLower(k.Block)
	d.named[base]++
	k.Name = base + strconv.Itoa(d.named[base])
	d.Kernels = append(d.Kernels, k)
	return len(d.Kernels) - 1
}

// lead connects a stream to an input of a kernel.
func (d *drawing) lead(s stream, to int, input string, index int) {
	d.Edges = append(d.Edges, Edge{From: s.kernel, FromPort: "y", FromIndex: s.index, To: to, ToPort: input,
		ToIndex: index})
}

func (d *drawing) source() stream {
	switch d.r.IntN(3) {
	case 0:
		return d.sourceOf("Text", Bytes, d.pick(64, 256, 480, 1024, 4096, 16384))
	case 1:
		return d.sourceOf("Signal", Samples, d.pick(64, 100, 256, 480, 1024, 1500, 4096))
	}
	return d.sourceOf("Numbers", Words, d.pick(16, 64, 200, 256, 1024, 4096))
}

func (d *drawing) sourceOf(block string, typ Type, n int) stream {
	k := d.add(Kernel{Block: block, Settings: []Setting{{"seed", float64(1 + d.r.IntN(1000))}, {"n", float64(n)}}})
	return stream{k, -1, typ, n, 1, block != "Signal"}
}

// twoSources joins a stream with a stream from another source of the same kind, if possible.
func (d *drawing) twoSources(s stream) stream {
	if s.typ == Bytes {
		return s
	}
	return d.meet(s, d.sourceOf(d.Kernels[s.kernel].Block, s.typ, s.n))
}

// meet joins two streams with equal elements.
func (d *drawing) meet(a, b stream) stream {
	block := "Add"
	if a.typ == Words {
		block = "Mix"
	}
	k := d.add(Kernel{Block: block, Settings: []Setting{{"n", float64(a.n)}}})
	d.lead(a, k, "a", -1)
	d.lead(b, k, "b", -1)
	return stream{k, -1, a.typ, a.n, a.rate, a.lively}
}

// segment sends a stream through one or more kernels. It leaves at least one kernel for a sink.
func (d *drawing) segment(s stream) stream {
	room := d.left() - 1
	switch d.r.IntN(8) {
	case 0, 1:
		if room >= 4 {
			return d.parallel(s, 2+d.r.IntN(min(3, room-3)))
		}
	case 2:
		if room >= 3 && s.typ != Bytes {
			return d.branches(s)
		}
	case 3:
		if room >= 3 && !d.side {
			return d.branchOff(s)
		}
	}
	return d.next(s, d.anyKernel(s))
}

// parallel distributes a stream to copies of a kernel and collects their outputs.
func (d *drawing) parallel(s stream, ways int) stream {
	deal := d.add(Kernel{Block: "Deal", Typed: true, Type: s.typ,
		Settings: []Setting{{"n", float64(s.n)}, {"ways", float64(ways)}}})
	d.lead(s, deal, "x", -1)
	work := d.oneToOne(s, false)
	var ends []stream
	for i := range ways {
		ends = append(ends, d.next(stream{deal, i, s.typ, s.n, s.rate / float64(ways), s.lively}, work))
	}
	out := ends[0]
	gather := d.add(Kernel{Block: "Gather", Typed: true, Type: out.typ,
		Settings: []Setting{{"n", float64(out.n)}, {"ways", float64(ways)}}})
	for i := range ends {
		d.lead(ends[i], gather, "x", i)
	}
	return stream{gather, -1, out.typ, out.n, s.rate, out.lively}
}

// branches sends a stream over two branches and joins them. At least one branch contains kernels.
func (d *drawing) branches(s stream) stream {
	a, b := s, s
	room := d.left() - 2 // without the join and a sink
	for i := range min(room, 1+d.r.IntN(3)) {
		if i%2 == 0 {
			a = d.next(a, d.oneToOne(a, true))
		} else {
			b = d.next(b, d.oneToOne(b, true))
		}
	}
	return d.meet(a, b)
}

// branchOff sends a copy of a stream to a side branch that ends in a sink. It returns the stream.
func (d *drawing) branchOff(s stream) stream {
	d.side = true
	side := d.next(s, d.anyKernel(s))
	if d.left() > 4 && d.r.IntN(2) == 0 {
		side = d.next(side, d.anyKernel(side))
	}
	d.terminate("Tally", side)
	return s
}

func (d *drawing) terminate(block string, s stream) {
	k := d.add(Kernel{Block: block, Typed: true, Type: s.typ, Settings: []Setting{{"n", float64(s.n)}}})
	d.lead(s, k, "x", -1)
}
