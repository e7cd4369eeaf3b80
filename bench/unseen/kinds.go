package unseen

import (
	"math"
	"slices"
)

// work is a kernel with one input and one output that can process a given stream.
type work struct {
	kernel Kernel
	typ    Type // type of its outputs
	n      int
	gain   float64 // approximate number of output elements per input element
}

// minRate is the minimum rate of a stream relative to the rate of a source, so that measurements contain enough
// elements.
const minRate = 0.02

// anyKernel draws a random kernel for a stream.
func (d *drawing) anyKernel(s stream) work {
	if w, is := d.heavy(s); is {
		return w
	}
	if s.typ == Bytes && d.Kind != Vector && d.r.IntN(4) > 0 {
		if list := d.bytewise(s); len(list) > 0 {
			return list[d.r.IntN(len(list))]
		}
	}
	list := append(d.static(s), d.dynamic(s)...)
	if s.bytes() <= 16 && d.r.IntN(3) > 0 { // tokens are usually combined
		list = d.packs(s, list)
	}
	return list[d.r.IntN(len(list))]
}

// oneToOne draws a random kernel that sends one element for each input element. If steady is set, input and output
// elements have the same type and size.
func (d *drawing) oneToOne(s stream, steady bool) work {
	if w, is := d.heavy(s); is {
		return w
	}
	var list []work
	for _, w := range d.static(s) {
		if w.gain == 1 && (!steady || w.typ == s.typ && w.n == s.n) {
			list = append(list, w)
		}
	}
	return list[d.r.IntN(len(list))]
}

// next adds a kernel behind a stream, and returns the kernel's output.
func (d *drawing) next(s stream, w work) stream {
	k := d.add(w.kernel)
	d.lead(s, k, "x", -1)
	lively := s.lively
	switch w.kernel.Block {
	case "Hash", "Table", "Chase", "Lex", "Code", "Grind":
		lively = true
	case "Histogram", "Parse", "Quantize", "Runs", "Expand", "Count", "Delta":
		lively = false
	}
	return stream{k, -1, w.typ, w.n, s.rate * w.gain, lively}
}

func settings(list ...any) []Setting {
	var all []Setting
	for i := 0; i < len(list); i += 2 {
		value, is := list[i+1].(float64)
		if n, complete := list[i+1].(int); complete {
			value, is = float64(n), true
		}
		if name, named := list[i].(string); named && is {
			all = append(all, Setting{name, value})
		}
	}
	return all
}

// static returns the possible kernels that send one element for each input element.
func (d *drawing) static(s stream) []work {
	seed := 1 + d.r.IntN(1000)
	to := func(block string, typ Type, n int, set ...any) work {
		return work{Kernel{Block: block, Settings: settings(set...)}, typ, n, 1}
	}
	same := func(block string, set ...any) work {
		return to(block, s.typ, s.n, append([]any{"n", s.n}, set...)...)
	}
	switch s.typ {
	case Bytes:
		list := []work{to("Samples", Samples, s.n, "n", s.n)}
		if s.n >= 64 {
			list = append(list, to("Histogram", Words, 256, "n", s.n))
		}
		if d.Kind != Vector {
			list = append(list, same("Delta"))
		}
		for _, part := range []int{d.pick(4, 8, 16, 32)} {
			if s.n%part == 0 {
				list = append(list, to("Hash", Words, s.n/part, "n", s.n, "part", part))
			}
		}
		return list
	case Words:
		hops := max(1, min(d.pick(1, 2, 4, 8), 8192/s.n))
		list := []work{same("Table", "bits", d.pick(8, 12, 16, 20, 22), "seed", seed),
			same("Chase", "bits", d.pick(10, 14, 18, 22), "hops", hops, "seed", seed),
			same("Sort"), to("Fraction", Samples, s.n, "n", s.n)}
		if 4*s.n <= maxBytes {
			list = append(list, to("Bytes", Bytes, 4*s.n, "n", s.n))
		}
		return list
	}
	list := []work{same("Scale", "a", 0.75, "b", 0.125), same("Fir", "taps", d.pick(8, 16, 32, 64, 128), "seed", seed),
		same("Sparse", "each", d.pick(2, 4, 8, 16), "seed", seed), to("Quantize", Bytes, s.n, "n", s.n, "scale",
			float64(d.pick(32, 64, 256)))}
	if s.n >= 16 && s.n&(s.n-1) == 0 {
		list = append(list, to("Spectrum", Samples, s.n/2, "n", s.n))
	}
	if side := int(math.Round(math.Sqrt(float64(s.n)))); side*side == s.n && side <= 64 && side >= 4 {
		list = append(list, to("Matrix", Samples, s.n, "side", side, "seed", seed))
	}
	return list
}

// bytewise returns the possible kernels that process a stream of bytes as one sequence, across element boundaries, and
// those that aggregate small records.
func (d *drawing) bytewise(s stream) []work {
	width, m, limit, small := d.pick(4, 8, 16, 32), d.pick(1, 16, 64), d.pick(8, 32, 128), d.pick(1, 2, 8, 16, 64)
	n := float64(s.n)
	list := []work{{Kernel{Block: "Runs", Settings: settings("n", s.n)}, Bytes, 2, 0.6 * n},
		{Kernel{Block: "Code", Settings: settings("n", s.n, "m", m)}, Bytes, m, 0.3 * n / float64(m)},
		{Kernel{Block: "Delta", Settings: settings("n", s.n)}, Bytes, s.n, 1}}
	if s.lively {
		list = append(list, work{Kernel{Block: "Lex", Settings: settings("n", s.n, "width", width)}, Bytes, width,
			0.15 * n})
	}
	if s.n <= 64 {
		list = append(list, work{Kernel{Block: "Count", Settings: settings("n", s.n, "limit", limit)}, Words, 4,
			1 / float64(16*limit)})
	}
	if s.n > small && s.n%small == 0 {
		times := s.n / small
		list = append(list, work{Kernel{Block: "Unpack", Typed: true, Type: Bytes,
			Settings: settings("n", small, "times", times)}, Bytes, small, float64(times)})
	}
	if d.Kernels[s.kernel].Block == "Runs" {
		list = append(list, work{Kernel{Block: "Expand"}, Bytes, 1, 1.7})
	}
	return slices.DeleteFunc(list, func(w work) bool { return s.rate*w.gain < minRate })
}

// The work of a large kernel: the minimum number of steps per byte or sample, and the maximum number per element of a
// source, which need about a millisecond.
const (
	minSteps    = 100
	maxAllSteps = 1 << 19
)

// heavy draws the large kernel of an uneven application, which has hundreds of times the work of small kernels. It
// returns false if there is no such kernel to draw now.
func (d *drawing) heavy(s stream) (work, bool) {
	if !d.large || d.left() > 3 && d.r.IntN(2) == 0 {
		return work{}, false
	}
	size := s.bytes() // in block Fir, a step is four taps for one sample
	if s.typ == Samples && s.n < 16 {
		return work{}, false
	}
	steps := d.pick(minSteps, 200, 500, 1000)
	for steps > minSteps && s.rate*float64(size*steps) > maxAllSteps {
		steps /= 2
	}
	if steps = max(steps, minSteps); s.rate*float64(size*steps) > maxAllSteps {
		return work{}, false
	}
	d.large = false
	if s.typ == Samples {
		return work{Kernel{Block: "Fir", Settings: settings("n", s.n, "taps", 4*steps, "seed", 1+d.r.IntN(1000))},
			Samples, s.n, 1}, true
	}
	return work{Kernel{Block: "Grind", Typed: true, Type: s.typ, Settings: settings("n", s.n, "rounds", steps)}, s.typ,
		s.n, 1}, true
}

// maxBytes is the maximum size of an element in bytes.
const maxBytes = 32 << 10

// dynamic returns the possible kernels that send more or fewer elements than they consume, some of them depending on
// the data.
func (d *drawing) dynamic(s stream) []work {
	list := d.packs(s, nil)
	for _, times := range []int{d.pick(2, 4, 8, 16)} {
		if s.n%times == 0 && s.n/times >= 8 {
			list = append(list, work{Kernel{Block: "Unpack", Typed: true, Type: s.typ,
				Settings: settings("n", s.n/times, "times", times)}, s.typ, s.n / times, float64(times)})
		}
	}
	switch s.typ {
	case Bytes:
		kinds := d.pick(1, 2, 3, 7)
		parse := work{Kernel{Block: "Parse", Settings: settings("n", s.n, "kinds", kinds)}, Words, 2,
			[]float64{0, 0.08, 0.015, 0.1, 0, 0, 0, 0.12}[kinds] * float64(s.n)}
		m := d.pick(64, 256, 1024)
		compress := work{Kernel{Block: "Compress", Settings: settings("n", s.n, "m", m)}, Bytes, m,
			0.8 * float64(s.n) / float64(m)}
		for _, w := range []work{parse, compress} {
			sense := s.n >= 32
			if w.kernel.Block == "Parse" {
				sense = s.lively
			}
			if sense && s.rate*w.gain >= minRate {
				list = append(list, w)
			}
		}
	case Samples:
		if s.rate >= 2*minRate {
			level := []float64{0.25, 0.5, 0.75}[d.r.IntN(3)]
			list = append(list, work{Kernel{Block: "Select", Settings: settings("n", s.n, "level", level)}, Samples,
				s.n,
				0.5})
		}
	}
	return list
}

// packs appends the kernel that combines several elements to others, unless its output elements would be too large or
// too rare.
func (d *drawing) packs(s stream, others []work) []work {
	times := d.pick(2, 4, 8, 16, 64)
	for times > 2 && (s.bytes()*times > maxBytes || s.rate/float64(times) < minRate) {
		times /= 2
	}
	if s.bytes()*times > maxBytes || s.rate/float64(times) < minRate {
		return others
	}
	return []work{{Kernel{Block: "Pack", Typed: true, Type: s.typ,
		Settings: settings("n", s.n, "times", times)}, s.typ, s.n * times, 1 / float64(times)}}
}
