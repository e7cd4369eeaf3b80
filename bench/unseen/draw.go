package unseen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// The minimum and maximum number of kernels of an application.
const (
	MinKernels = 4
	MaxKernels = 20
)

// stream is an output of a kernel that has no edge yet.
type stream struct {
	kernel int
	index  int // index of the output in its array; -1 if it has none
	typ    Type
	n      int     // number of numbers per element
	rate   float64 // approximate rate of elements; the rate of a source is sourceRate
	// lively reports that the bytes are text or vary widely, so that parsers find tokens in them.
	lively bool
}

// bytes returns the size of an element in bytes.
func (s *stream) bytes() int { return s.n * s.typ.Size() }

type drawing struct {
	r *rand.Rand
	App
	named map[string]int
	size  int // total number of kernels
	side  bool
	large bool // the large kernel of an uneven application has not been drawn yet
}

// unitBytes is the element size in bytes below which sources have a rate above 1.
const unitBytes = 256

// Draw returns the random application for a seed.
func Draw(seed uint64) *App {
	d := &drawing{r: rand.New(rand.NewPCG(seed, 21)), App: App{Seed: seed, Flags: make(map[string]string)},
		named: make(map[string]int)}
	d.size = MinKernels + d.r.IntN(MaxKernels-MinKernels+1)
	d.Kind = []Kind{Vector, Vector, Text, Records, Uneven, Mixed}[d.r.IntN(6)]
	d.large = d.Kind == Uneven
	s := d.source()
	if d.size >= 7 && d.r.IntN(4) == 0 {
		s = d.twoSources(s)
	}
	for d.left() > 1 {
		s = d.segment(s)
	}
	if d.Kind != Vector && d.r.IntN(2) == 0 {
		d.terminate("Store", s, Setting{"limit", float64(d.pick(1<<20, 4<<20))})
	} else {
		d.terminate("Digest", s)
	}
	if d.large { // no stream suited the large kernel
		d.Kind = Mixed
	}
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

// pick returns one of the given values at random.
func (d *drawing) pick(values ...int) int { return values[d.r.IntN(len(values))] }

func (d *drawing) add(k Kernel) int {
	base := strings.ToLower(k.Block)
	d.named[base]++
	k.Name = base + strconv.Itoa(d.named[base])
	d.Kernels = append(d.Kernels, k)
	return len(d.Kernels) - 1
}

// lead adds an edge from a stream to an input of a kernel.
func (d *drawing) lead(s stream, to int, input string, index int) {
	d.Edges = append(d.Edges, Edge{From: s.kernel, FromPort: "y", FromIndex: s.index, To: to, ToPort: input,
		ToIndex: index})
}

func (d *drawing) source() stream {
	kind := d.Kind
	if kind == Mixed || kind == Uneven {
		kind = []Kind{Vector, Text, Records}[d.r.IntN(3)]
	}
	switch kind {
	case Text:
		if d.r.IntN(2) == 0 {
			return d.sourceOf("Text", Bytes, d.pick(64, 256, 1024, 4096))
		}
		return d.read(true, d.pick(1, 1, 32, 256, 1024, 4096))
	case Records:
		if d.r.IntN(2) == 0 {
			return d.sourceOf("Events", Bytes, d.pick(2, 3, 5, 8, 12, 16, 24, 32, 48, 64))
		}
		return d.read(false, d.pick(1, 1, 2, 4, 6, 16, 20, 64))
	}
	largest := 16 << 10
	if d.Kind == Uneven { // small elements, so that the large kernel fires often enough
		largest = 4 << 10
	}
	switch d.r.IntN(3) {
	case 0:
		return d.sourceOf("Text", Bytes, min(largest, d.pick(64, 256, 480, 1024, 4096, 16384)))
	case 1:
		return d.sourceOf("Signal", Samples, min(largest/4, d.pick(64, 100, 256, 480, 1024, 1500, 4096)))
	}
	return d.sourceOf("Numbers", Words, min(largest/4, d.pick(16, 64, 200, 256, 1024, 4096)))
}

func (d *drawing) sourceOf(block string, typ Type, n int) stream {
	k := d.add(Kernel{Block: block, Settings: []Setting{{"seed", float64(1 + d.r.IntN(1000))}, {"n", float64(n)}}})
	s := stream{k, -1, typ, n, 1, block != "Signal"}
	if block == "Events" {
		s.rate = sourceRate(n)
	}
	return s
}

// read adds a source that reads a file, and returns its output.
func (d *drawing) read(text bool, n int) stream {
	d.Input = &Input{Bytes: d.pick(1, 2, 4) << 20, Text: text}
	k := d.add(Kernel{Block: "Read", Settings: []Setting{{"n", float64(n)}}})
	return stream{k, -1, Bytes, n, sourceRate(n), text}
}

// sourceRate returns the rate of a source that sends elements of n bytes: 1, or more for elements smaller than
// unitBytes.
func sourceRate(n int) float64 { return max(1, unitBytes/float64(n)) }

// twoSources joins a stream with the stream of a second source of the same kind. It returns a stream of bytes
// unchanged.
func (d *drawing) twoSources(s stream) stream {
	if s.typ == Bytes {
		return s
	}
	return d.meet(s, d.sourceOf(d.Kernels[s.kernel].Block, s.typ, s.n))
}

// meet joins two streams of the same type and size with a kernel, and returns its output.
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

// segment adds one or more kernels behind a stream, and returns the resulting stream. It reserves at least one kernel
// for a sink.
func (d *drawing) segment(s stream) stream {
	room := d.left() - 1
	switch d.r.IntN(9) {
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
	case 4:
		if room >= 3 && !d.side && d.Kind != Vector && s.typ == Bytes && s.lively && s.n <= 64 &&
			s.rate >= 8*minRate {
			return d.sieve(s)
		}
	}
	return d.next(s, d.anyKernel(s))
}

// parallel distributes a stream to parallel copies of a kernel, and collects their outputs.
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

// branches sends a stream over two branches, of which at least one contains kernels, and joins the branches.
func (d *drawing) branches(s stream) stream {
	a, b := s, s
	room := d.left() - 2 // reserve the join and a sink
	for i := range min(room, 1+d.r.IntN(3)) {
		if i%2 == 0 {
			a = d.next(a, d.oneToOne(a, true))
		} else {
			b = d.next(b, d.oneToOne(b, true))
		}
	}
	return d.meet(a, b)
}

// branchOff sends a copy of a stream to a side branch that ends in a sink. It returns the original stream.
func (d *drawing) branchOff(s stream) stream {
	d.side = true
	side := d.next(s, d.anyKernel(s))
	if d.left() > 4 && d.r.IntN(2) == 0 {
		side = d.next(side, d.anyKernel(side))
	}
	d.terminate("Tally", side)
	return s
}

// sieve divides the records of a stream by their hashes: some go to a side branch that ends in a sink. It returns the
// stream of the other records.
func (d *drawing) sieve(s stream) stream {
	d.side = true
	level := d.pick(64, 128, 224)
	k := d.add(Kernel{Block: "Sieve", Settings: settings("n", s.n, "level", level)})
	d.lead(s, k, "x", -1)
	part := float64(level) / 256
	d.terminate("Tally", stream{k, 1, s.typ, s.n, s.rate * (1 - part), s.lively})
	return stream{k, 0, s.typ, s.n, s.rate * part, s.lively}
}

func (d *drawing) terminate(block string, s stream, more ...Setting) {
	k := d.add(Kernel{Block: block, Typed: true, Type: s.typ,
		Settings: append([]Setting{{"n", float64(s.n)}}, more...)})
	d.lead(s, k, "x", -1)
}
