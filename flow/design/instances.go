package design

import (
	"math"

	"xopt/flow"
	"xopt/flow/faults"
)

// instances sets the figures of kernels with several copies on an FPGA to the figures of all copies together. The
// copies form a station that processes one firing per copy in the time of one firing. The area includes the copies and
// the circuits that divide the stream and collect the output.
//
// The copies process firings in turn. A long firing of one copy delays the other copies, unless the queues of the
// copies, which contain one firing, compensate for the delay. Therefore the real rate is lower if firing times vary.
// The stream of all copies carries at most one word per cycle. If the profile contains the fraction of cycles with
// words, the copies cannot raise this fraction above 1.
func (b *builder) instances() {
	for k := range b.prog.Kernels {
		n := float64(b.prog.Kernels[k].Instances)
		if n < 2 {
			continue
		}
		for r := range b.prog.Resources {
			fig := &b.p.Figures[k][r]
			if !IsFPGA(b.prog, r) || !fig.Available {
				continue
			}
			divide, synthesized := [2]flow.Area{}, false
			if m := b.measured(k, r, b.prog.Ancestors(b.prog.Resources[r].Platform)); m != nil && m.CopiesArea != nil {
				divide, synthesized = [2]flow.Area{areaOf(&m.CopiesArea.Fixed), areaOf(&m.CopiesArea.Each)}, true
			} else {
				divide = b.dividing(k)
			}
			for kind := range fig.Area {
				fig.Area[kind] = math.Ceil(n*fig.Area[kind] + divide[0][kind] + n*divide[1][kind])
			}
			b.instanced(k, r, synthesized)
		}
	}
}

func (b *builder) instanced(k, r int, measured bool) {
	m := -1
	for i := range b.prog.Maps {
		if b.prog.Maps[i].Kernel == k {
			m = b.prog.Maps[i].Resource
		}
	}
	if m != r || b.opt.Purpose == ForDeploy {
		return
	}
	area := "synthesized"
	if !measured {
		area = "assumed, for words of at most 64 bits (xopt calibrate synthesizes it)"
	}
	b.notef(faults.CopiesArea, "%s: the %d copies on %s process firings in turn; the area of the splitter and the "+
		"joiner is %s", b.prog.Kernels[k].Name,
		b.prog.Kernels[k].Instances, b.prog.Resources[r].Name, area)
}

// dividing returns the area of the splitters and joiners. The first area is for their counters. The second area is for
// the queues of each copy, and for the copy's part of splitters and joiners. The areas are estimates for 7-series FPGAs
// without synthesis. A word has the size of an element, at most 64 bits.
func (b *builder) dividing(k int) [2]flow.Area {
	const (
		widest     = 64   // bits of a word
		distLUT    = 0.75 // LUTs per bit of a queue of up to 32 words
		control    = 20   // LUTs of a queue, and of a splitter or joiner
		registers  = 10   // registers of a queue, in addition to the word at its output
		shallow    = 32   // words of a queue in LUTs
		blockBits  = 36 << 10
		counterLUT = 8
	)
	kernel := &b.prog.Kernels[k]
	var area [2]flow.Area
	once := b.prog.SentOnce()[k]
	port := func(bytes float64, elements int) {
		width := math.Min(8*bytes, widest)
		words := math.Ceil(8*bytes/width) * float64(elements)
		area[0][flow.LUT] += counterLUT
		area[0][flow.FF] += math.Ceil(math.Log2(words + 1))
		area[1][flow.LUT] += control
		area[1][flow.FF] += width + registers
		if words <= shallow {
			area[1][flow.LUT] += distLUT * width
		} else {
			area[1][flow.BRAM] += math.Ceil(words * width / blockBits)
		}
	}
	for i, p := range kernel.Inputs {
		if !once[i] {
			port(p.ElementBytes, kernel.Consumes(i))
		}
	}
	for i, p := range kernel.Outputs {
		port(p.ElementBytes, max(1, kernel.Emits[i].Elements))
	}
	return area
}
