package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow/profile"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// measurements returns the page section of measurements: isolated kernels, and a run.
func measurements(r *result.Result) Section {
	s := Section{ID: "measurements", Title: "Measurements"}
	if r.Profile != nil {
		s.Parts = append(s.Parts, profileTables(r.Profile)...)
		if c := windows(r.Profile); c != nil {
			s.Parts = append(s.Parts, Part{Chart: c})
		}
	}
	if m := r.Measured; m != nil {
		title := "Measured"
		if m.Simulated != "" {
			title = "Simulated in virtual time"
		}
		if m.Board != "" {
			title = "Read from " + m.Board + ","
		}
		s.Parts = append(s.Parts, Part{Text: fmt.Sprintf("%s in one run of %s on %s; all kernels ran together.",
			title, units.Time(m.Seconds), m.Machine.CPU)})
		if m.Faulted() || m.Partial != "" && m.Partial != firstLine(m.Partial) {
			s.Parts = append(s.Parts, Part{Code: &Code{ID: "partial", Title: "Why the run did not end by itself",
				Text: strings.TrimRight(m.Partial, "\n") + "\n"}})
		}
		if t := runBeside(r); t != nil {
			s.Parts = append(s.Parts, tableParts(t)...)
		}
		s.Parts = append(s.Parts, runTables(m, r.Prediction)...)
		for _, c := range gantt(r) {
			s.Parts = append(s.Parts, Part{Chart: c})
		}
		s.Parts = append(s.Parts, histograms(m)...)
		s.Parts = append(s.Parts, frames(m)...)
	}
	return s
}

// windows charts the service rates of isolated kernels as box plots (as in Lancaster 2011, Fig. 6.4). It returns nil if
// the profile contains no windows.
func windows(p *profile.Profile) *Chart {
	chart := &Chart{ID: "windows", Title: "Service rates in windows, relative to their median; measured",
		Note: "Box: quartiles. Whiskers: the most distant values within 1.5 box lengths of the box.",
		X:    Axis{Name: "kernel"}, Y: Axis{Name: "relative to the median (%)"}}
	boxes := Series{Name: "windows", Kind: Boxes}
	var without []string
	for i := range p.Kernels {
		f := p.Kernels[i].ServiceRate
		if f == nil || p.Kernels[i].How != "" || // simulated cycles do not vary
			len(f.Windows) < 2 || !(f.Value > 0) {
			without = append(without, p.Kernels[i].Label())
			continue
		}
		b := result.NewBox(f.Windows)
		if !(b.Median > 0) {
			without = append(without, p.Kernels[i].Label())
			continue
		}
		boxes.Boxes = append(boxes.Boxes, [5]float64{100 * b.Low / b.Median, 100 * b.Q1 / b.Median, 100,
			100 * b.Q3 / b.Median, 100 * b.High / b.Median})
		chart.X.Categories = append(chart.X.Categories, p.Kernels[i].Label())
	}
	if len(boxes.Boxes) == 0 {
		return nil
	}
	if len(without) > 0 {
		chart.Note += " Not drawn, because their windows do not vary: " + strings.Join(first(without, maxDrawnNames),
			", ") +
			"."
	}
	chart.Series = []Series{boxes}
	return chart
}

// maxDrawnNames is the maximum number of kernels named in the note of a chart.
const maxDrawnNames = 12

// shownHistograms is the maximum number of histograms of each kind.
const shownHistograms = 6

// histograms charts the service times of the busiest kernels, and the fullest queues (Lancaster 2011, Fig. 6.5).
func histograms(m *result.Measured) []Part {
	var parts []Part
	kernels := slices.Clone(m.Kernels)
	slices.SortStableFunc(kernels, func(a, b result.MeasuredKernel) int {
		return cmp.Compare(b.Utilization,
			a.Utilization)
	})
	n := 0
	for _, k := range kernels {
		if k.Service == nil || len(k.Service.Bins) < 2 || n == shownHistograms {
			continue
		}
		n++
		parts = append(parts, Part{Chart: histogram(fmt.Sprintf("service-%d", n), "Service time of "+k.Kernel+
			", sampled in the run", "s", k.Service)})
	}
	edges := slices.Clone(m.Edges)
	slices.SortStableFunc(edges, func(a, b result.MeasuredEdge) int { return cmp.Compare(fullness(b), fullness(a)) })
	n = 0
	for _, e := range edges {
		if e.Occupancy == nil || len(e.Occupancy.Bins) < 2 || n == shownHistograms {
			continue
		}
		n++
		parts = append(parts, Part{Chart: histogram(fmt.Sprintf("occupancy-%d", n), fmt.Sprintf("Occupancy of %s "+
			"(size: %s), seen by arriving elements; %s in the run", e.Edge, units.Elements(e.Capacity), how(m)), "",
			e.Occupancy)})
	}
	return parts
}

func fullness(e result.MeasuredEdge) float64 {
	if e.Occupancy == nil || e.Capacity == 0 {
		return 0
	}
	return e.Occupancy.Mean / float64(e.Capacity)
}

// Number of bins of a histogram, and the quantile above which all values share the last bin.
const (
	histogramBins = 40
	almostAll     = 0.995
)

func histogram(id, title, unit string, d *result.Distribution) *Chart {
	scale, axis := units.Scale{}, "elements"
	if unit != "" {
		scale = scaleOf(unit, d.Mean)
		axis = scale.Unit()
	}
	c := &Chart{ID: id, Title: title, X: Axis{Name: axis}, Y: Axis{Name: "share (%)"}}
	// Equal bins extend from the minimum to the quantile. The last bin contains all larger values.
	low, high := d.Min, d.Quantile(almostAll)
	if !(high > low) {
		high = d.Max
	}
	width := (high - low) / histogramBins
	if unit == "" { // numbers of elements
		width = math.Max(1, math.Ceil(width))
	}
	edges := make([]float64, histogramBins+2)
	for i := range edges {
		edges[i] = low + width*float64(i)
	}
	edges[0], edges[histogramBins+1] = math.Inf(-1), math.Inf(1)
	s := Series{Name: "elements", Kind: Bars}
	for i, n := range rebin(d, edges) {
		label := scale.Format(low + width*float64(i))
		if i == histogramBins {
			if n == 0 {
				break
			}
			label += " and more"
		}
		c.X.Categories = append(c.X.Categories, label)
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, 100*n/d.Elements)
	}
	c.Series = []Series{s}
	return c
}

// rebin returns the number of elements between successive edges. It distributes the elements of each bin evenly over
// the width of the bin.
func rebin(d *result.Distribution, edges []float64) []float64 {
	counts := make([]float64, len(edges)-1)
	for _, b := range d.Bins {
		from, to := b.From, max(b.To, b.From+1e-12)
		for i := range counts {
			if part := min(edges[i+1], to) - max(edges[i], from); part > 0 {
				counts[i] += b.Elements * part / (to - from)
			}
		}
	}
	return counts
}
