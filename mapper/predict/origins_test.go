package predict

import "testing"

// TestFiguresAddUp checks that each figure of a prediction is counted once, by origin: rates of kernels, gains and
// fractions of choices, links in use, and sharing of parts with several users. The citations add up to the same.
func TestFiguresAddUp(t *testing.T) {
	for _, files := range [][]string{
		{"gayen-veritas/arch_slow.x", "gayen-veritas/mapB2.x"},
		{"beard-fig7/app.x", "beard-fig7/arch.x", "beard-fig7/map.x"},
		{"stuijk-h263/app.x", "stuijk-h263/arch.x", "stuijk-h263/map.x"},
	} {
		d := load(t, files)
		c := predict(t, d)
		app := &d.Problem.Application
		in, out := make([]int, len(app.Kernels)), make([]map[string]bool, len(app.Kernels))
		for _, e := range app.Edges {
			in[e.To]++
			if out[e.From] == nil {
				out[e.From] = make(map[string]bool)
			}
			out[e.From][e.FromPort] = true
		}
		want := len(app.Kernels)
		for k := range app.Kernels {
			if in[k] > 0 && len(out[k]) > 0 {
				want++ // its gain
			}
		}
		for _, e := range app.Edges {
			if len(out[e.From]) > 1 && !e.Copy {
				want++ // its fraction
			}
		}
		for _, x := range c.Links {
			if x.Members > 0 {
				want++ // its bandwidth
			}
			if x.Members > 1 {
				want++
			}
		}
		for _, x := range c.Resources {
			if x.Members > 1 && x.Sharing != "area" {
				want++
			}
		}
		figures, cited := 0, 0
		for _, x := range c.Figures {
			figures += x.Count
		}
		for _, x := range c.Citations {
			cited += x.Figures
		}
		if figures != want || cited != want {
			t.Errorf("%s: %d figures by origin and %d by source, of %d", files[0], figures, cited, want)
		}
	}
}
