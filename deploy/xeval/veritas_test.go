package xeval

import (
	"fmt"
	"testing"
)

// TestVeritasPipes: mapB of Gayen 2008, §6.2.4, with a tenth of its 5000 events of 499 pixels, without a limit by the
// bus. proc[1] takes 5.0 s for all, a pipe on the FPGA 6.6 us for each pixel, proc[2] 5 s for all. Table 6.2 has
// 16.6, 8.3 and 5.5 s with one, two and three pipes.
func TestVeritasPipes(t *testing.T) {
	const pixels = 499 * 500
	for pipes, want := range map[int]float64{1: 1.66, 2: 0.83, 3: 0.55} {
		c := newChain(t)
		c.times("front", repeated(2004, pixels)...)
		c.block("front.src -> front.y0", "front")
		for i, at := range c.events["front_y0_out.ts"] { // the splitter deals them out
			name := fmt.Sprintf("pipe%d_x0_avl.ts", i%pipes)
			c.events[name] = append(c.events[name], at)
		}
		rule := ""
		for p := range pipes {
			name := fmt.Sprintf("pipe%d", p)
			c.times(name, repeated(6600, (pixels+pipes-1-p)/pipes)...)
			c.block(name+".x0 -> "+name+".y0", name)
			c.edge(name+".y0", fmt.Sprintf("back.x%d", p), 0)
			if p > 0 {
				rule += " or "
			}
			rule += fmt.Sprintf("back.x%d", p)
		}
		c.times("back", repeated(2004, pixels)...)
		done := c.block(rule+" -> back.sink", "back")
		if got := float64(done.Last) / second; got < 0.985*want || got > 1.015*want || done.Runs[0] != pixels {
			t.Errorf("%d pipes: %g s for %d pixels, want %g", pipes, got, done.Runs[0], want)
		}
	}
}
