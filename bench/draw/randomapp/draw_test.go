// Package randomapp draws applications that test buffer sizes. They have joins of up to 1,000 elements to one, splits,
// filters, branches that join again, broadcasts, loops with initial elements, and links that move up to 1 MiB at once.
// It writes each as X files, with a mapping and C sources.
//
// The applications of bench/draw/taskgraph are those of the papers. The ones of this package never stop if the buffers
// are large enough, because the counts agree wherever branches join.
package randomapp_test

import (
	"fmt"
	"math/rand/v2"
)

// App is an application with a machine and a mapping.
type App struct {
	Seed    uint64
	Kernels []Kernel
	Edges   []Edge
	Cores   []int // of each kernel, from 1
	Links   []Link
}

// Kernel is one kernel. A firing consumes the elements in Takes of every input. Without Takes it consumes an element of
// whichever input has one. It sends the elements in Sends on every output.
type Kernel struct {
	Name     string
	Time     float64 // of a firing, us
	SCV      float64
	Consumes []int // of each input; nil to consume from any input
	Sends    []int // of each output
	// Filter is the fraction of firings that send elements, depending on the data; 0 for all. With Choose, each firing
	// sends on only one output, with this probability the first; 0 for all outputs.
	Filter, Choose float64
	Inputs         int
	// Times is the number of firings of a source for each requested firing; 0 for one. Joined sources then end
	// together.
	Times int
}

// Edge connects an output to an input. Several edges of one output are a broadcast.
type Edge struct {
	From, Output int
	To, Input    int
	Bytes        int // of an element
	Initial      int
	Link         bool // over the link, even if there is a memory
}

// Link joins all cores of one half of the machine to those of the other. Memory joins those of a half.
type Link struct {
	Bulk      int     // bytes; 0 for none
	Flush     float64 // us; 0 for never
	Latency   float64 // us
	Bandwidth float64 // MB/s
}

// Options are the options of Draw. The zero value draws all features.
type Options struct {
	Plain bool // no bulks, no latencies, short firings: what a run on two cores tries
}

// stream is an output that is not yet connected: its kernel, the bytes of an element, and the elements per firing of
// the first source.
type stream struct {
	kernel, output, bytes int
	rate                  float64
}

type drawing struct {
	r *rand.Rand
	o Options
	App
	fires []float64 // of each kernel, per firing of the first source
	rates []float64 // elements of each edge, per firing of the first source
}

// Draw returns the application of a seed.
func Draw(seed uint64, o Options) *App {
	d := &drawing{r: rand.New(rand.NewPCG(seed, 19)), o: o, App: App{Seed: seed}}
	s := d.source()
	if d.r.IntN(4) == 0 { // two sources, joined
		other, consumes := d.source(), 1+d.r.IntN(3)
		a, b := &d.Kernels[s.kernel], &d.Kernels[other.kernel]
		a.Times, b.Times = b.Sends[0], a.Sends[0]*consumes
		s = d.meet([]stream{s, other}, []int{1, consumes})
	}
	for range 1 + d.r.IntN(5) {
		s = d.segment(s, 0)
	}
	d.sink(s)
	d.machine()
	return &d.App
}

// add adds a kernel without ports.
func (d *drawing) add() int {
	time := 0.2 * float64(1+d.r.IntN(20))
	if d.o.Plain {
		time /= 4
	}
	d.Kernels = append(d.Kernels, Kernel{Name: fmt.Sprintf("k%d", len(d.Kernels)), Time: time,
		SCV: []float64{0, 0.2, 1, 4}[d.r.IntN(4)]})
	d.fires = append(d.fires, 0)
	return len(d.Kernels) - 1
}

// output adds an output that sends n elements.
func (d *drawing) output(k, n, bytes int) stream {
	d.Kernels[k].Sends = append(d.Kernels[k].Sends, n)
	return stream{k, len(d.Kernels[k].Sends) - 1, bytes, d.fires[k] * float64(n)}
}

// input connects a stream to a new input, of which a firing consumes n elements.
func (d *drawing) input(k int, s stream, n int) {
	d.Edges = append(d.Edges, Edge{From: s.kernel, Output: s.output, To: k, Input: d.Kernels[k].Inputs, Bytes: s.bytes})
	d.Kernels[k].Inputs++
	d.rates = append(d.rates, s.rate)
	if n > 0 {
		d.Kernels[k].Consumes = append(d.Kernels[k].Consumes, n)
		d.fires[k] = s.rate / float64(n)
	} else {
		d.fires[k] += s.rate
	}
}

// bytes draws the size of an element.
func (d *drawing) bytes() int { return []int{4, 8, 16, 64, 256, 1024}[d.r.IntN(6)] }

func (d *drawing) source() stream {
	k := d.add()
	d.fires[k] = 1
	return d.output(k, 1+d.r.IntN(2)*d.r.IntN(3), d.bytes())
}

func (d *drawing) sink(s stream) { d.input(d.add(), s, 1) }

// many draws a count from 1 to maximum, small ones more often.
func (d *drawing) many(maximum int) int {
	n := 1
	for n < maximum && d.r.IntN(3) > 0 {
		n *= 2 + d.r.IntN(9)
	}
	return min(n, maximum)
}

// often returns a number of elements, up to a limit, that a simulation receives together many times.
func (d *drawing) often(s stream, maximum int) int {
	const firings = 3000 // of the first source
	return max(1, min(maximum, int(firings*s.rate)))
}

// maxTogether is the maximum number of elements that a join consumes.
const maxTogether = 1000

// segment sends a stream through a random structure, and returns its output. inside is the nesting depth.
func (d *drawing) segment(s stream, inside int) stream {
	kinds := 8
	if inside > 1 {
		kinds = 4 // no branches
	}
	switch d.r.IntN(kinds) {
	case 0: // in series
		return d.next(s, 1, 1)
	case 1: // elements are combined
		return d.next(s, d.many(d.often(s, maxTogether)), 1)
	case 2: // elements are split
		return d.next(s, 1, d.many(30))
	case 3: // a filter
		out := d.next(s, 1, 1)
		part := []float64{0.9, 0.5, 0.1, 0.02}[d.r.IntN(4)]
		if d.often(s, 50) < 50 {
			part = 0.9
		}
		d.Kernels[out.kernel].Filter = part
		out.rate *= part
		return out
	case 4:
		return d.parted(s)
	case 5:
		return d.choice(s, inside)
	case 6:
		return d.loop(s)
	}
	return d.copied(s)
}

// next adds a kernel that receives consumes elements and sends sends elements in a firing.
func (d *drawing) next(s stream, consumes, sends int) stream {
	return d.convert(s, consumes, sends, d.bytes())
}

// convert is next with a given element size.
func (d *drawing) convert(s stream, consumes, sends, bytes int) stream {
	k := d.add()
	d.input(k, s, consumes)
	return d.output(k, sends, bytes)
}

// meet joins streams, with the given numbers of elements of each.
func (d *drawing) meet(all []stream, consumes []int) stream {
	k := d.add()
	for i, s := range all {
		d.input(k, s, consumes[i])
	}
	return d.output(k, 1, d.bytes())
}

// branch sends a stream, of which the given number of elements belong together, through kernels. It returns the number
// of elements after them.
func (d *drawing) branch(s stream, elements int) (stream, int) {
	for range d.r.IntN(4) {
		if elements > 1 && d.r.IntN(2) == 0 { // some, or all, are put together
			n := elements
			for _, part := range []int{2, 5, 10} {
				if elements%part == 0 && d.r.IntN(2) == 0 {
					n = part
				}
			}
			s, elements = d.next(s, n, 1), elements/n
			continue
		}
		s = d.next(s, 1, 1)
	}
	return s, elements
}

// together draws the number of elements that belong together on branches. Many of the numbers have divisors.
func (d *drawing) together(s stream) int {
	n := []int{1, 1, 2, 10, 20, 100, 500, maxTogether}[d.r.IntN(8)]
	if n > d.often(s, maxTogether) {
		return 1
	}
	return n
}

// parted sends on several outputs, and joins the branches, which have different delays.
func (d *drawing) parted(s stream) stream {
	k := d.add()
	d.input(k, s, 1)
	n := d.together(s)
	var ends []stream
	var consumes []int
	for range 2 + d.r.IntN(2) {
		each := 1
		if n > 1 && n <= maxTogether/5 && d.r.IntN(3) == 0 { // all of n firings in one
			each = d.r.IntN(2)*4 + 1
		}
		out, elements := d.branch(d.output(k, each, d.bytes()), n*each)
		ends, consumes = append(ends, out), append(consumes, elements)
	}
	return d.meet(ends, smallest(consumes))
}

// copied broadcasts a stream and joins the branches.
func (d *drawing) copied(s stream) stream {
	n := d.together(s)
	var ends []stream
	var consumes []int
	for range 2 {
		k := d.add() // a separate edge for each copy
		d.input(k, s, 1)
		out, elements := d.branch(d.output(k, 1, d.bytes()), n)
		ends, consumes = append(ends, out), append(consumes, elements)
	}
	return d.meet(ends, smallest(consumes))
}

// choice sends each element on one of two branches, depending on the data, and merges them in order of arrival.
func (d *drawing) choice(s stream, inside int) stream {
	k := d.add()
	d.input(k, s, 1)
	d.Kernels[k].Choose = []float64{0.5, 0.8, 0.05}[d.r.IntN(3)]
	bytes := d.bytes()
	a, b := d.output(k, 1, bytes), d.output(k, 1, bytes)
	a.rate, b.rate = d.Kernels[k].Choose*a.rate, (1-d.Kernels[k].Choose)*b.rate
	if d.r.IntN(2) == 0 {
		a = d.convert(d.segment(a, inside+1), 1, 1, bytes)
	}
	b = d.convert(b, 1, 1, bytes)
	m := d.add()
	d.input(m, a, 0)
	d.input(m, b, 0)
	return d.output(m, 1, d.bytes())
}

// loop joins a stream with its own results.
func (d *drawing) loop(s stream) stream {
	k := d.add()
	d.input(k, s, 1)
	out, back := d.output(k, 1, d.bytes()), d.output(k, 1, d.bytes())
	for range d.r.IntN(3) {
		back = d.next(back, 1, 1)
	}
	d.input(k, back, 1)
	d.Edges[len(d.Edges)-1].Initial = 1 + d.r.IntN(8)
	return out
}

// smallest divides counts by their greatest common divisor.
func smallest(counts []int) []int {
	g := counts[0]
	for _, n := range counts {
		for n != 0 {
			g, n = n, g%n
		}
	}
	list := make([]int, len(counts))
	for i, n := range counts {
		list[i] = n / g
	}
	return list
}

// machine draws the cores of kernels, and the link between the halves of the machine.
func (d *drawing) machine() {
	cores := 4
	if d.o.Plain {
		cores = 2
	}
	for range d.Kernels {
		d.Cores = append(d.Cores, 1+d.r.IntN(cores))
	}
	for i := range d.Edges {
		d.Edges[i].Link = d.r.IntN(3) == 0
	}
	l := Link{Bandwidth: []float64{100, 1000, 5000}[d.r.IntN(3)]}
	if !d.o.Plain && d.r.IntN(3) > 0 {
		l.Bulk = []int{64, 512, 4096, 32 << 10, 256 << 10, 1 << 20}[d.r.IntN(6)]
		for l.Bulk > 64 && d.slow(l.Bulk) {
			l.Bulk /= 8
		}
		l.Latency = float64(d.r.IntN(3))
		if d.r.IntN(2) == 0 || d.looped() {
			l.Flush = 50
		}
	}
	d.Links = []Link{l}
}

// slow reports whether a transfer fills so slowly that no simulation would reach its consequences.
func (d *drawing) slow(bulk int) bool {
	const maximum = 100_000 // firings of the first source
	for i := range d.Edges {
		if float64(bulk/d.Edges[i].Bytes) > maximum*d.rates[i] {
			return true
		}
	}
	return false
}

// looped reports whether there is a loop. A bulk in a loop would wait for itself.
func (d *drawing) looped() bool {
	for _, e := range d.Edges {
		if e.Initial > 0 {
			return true
		}
	}
	return false
}
