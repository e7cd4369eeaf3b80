package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"xopt/flow/profile"
)

// table writes a Markdown table.
func table(b *strings.Builder, headings []string, rows [][]string) {
	fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(headings, " | "), strings.Repeat("---|", len(headings)))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
	}
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

func theirs(b *strings.Builder, text string) {
	if text != "" {
		fmt.Fprintf(b, "\nTheirs: %s.\n", text)
	}
}

// errorRow returns a table row with the distribution of errors.
func errorRow(name string, errs []float64, square string) []string {
	abs := make([]float64, len(errs))
	sum := 0.0
	for i, e := range errs {
		abs[i] = math.Abs(e)
		sum += abs[i]
	}
	slices.Sort(abs)
	at := func(p float64) float64 { return abs[min(int(math.Ceil(p*float64(len(abs)))), len(abs))-1] }
	n := len(errs)
	return []string{name, fmt.Sprint(n), percent(sum / float64(n)), percent(profile.MedianOf(abs).Value),
		percent(at(0.95)), percent(abs[len(abs)-1]), square}
}

func errorTable(b *strings.Builder, rows [][]string) {
	table(b, []string{"", "n", "mean", "median", "95 %", "worst", "R²"}, rows)
}

// histogram writes the distribution of errors, in bins of the papers' width. Large errors have wider bins.
func histogram(b *strings.Builder, what string, errs []float64, width float64) {
	const longest, near = 50, 24
	bins := make(map[int]int)
	low, high, top := math.MaxInt, math.MinInt, 0
	for _, e := range errs {
		i := int(math.Floor(math.Min(e/width, near)))
		if e >= near*width {
			i = near + int(math.Log10(e/(near*width))+1e-12)
		}
		bins[i]++
		low, high, top = min(low, i), max(high, i), max(top, bins[i])
	}
	fmt.Fprintf(b, "\n%s, in bins of %g %%:\n\n```\n", what, 100*width)
	for i := low; i <= high; i++ {
		if bins[i-1]+bins[i]+bins[i+1] == 0 {
			continue
		}
		if bins[i] == 0 && bins[i-1] == 0 && i-1 > low {
			b.WriteString("        ...\n")
		}
		from, sign := width*float64(i), ""
		if i >= near {
			from, sign = near*width*math.Pow(10, float64(i-near)), " or more"
		}
		fmt.Fprintf(b, "%11.1f %%%-9s %6d %s\n", 100*from, sign, bins[i],
			strings.Repeat("#", (bins[i]*longest+top-1)/top))
	}
	b.WriteString("```\n")
}

// writeSizes writes a table that compares the recommended sizes of each level with the largest tapped queues.
func writeSizes(b *strings.Builder, studies []*Study) {
	levels := make(map[string][]float64)
	above := make(map[string]int)
	for _, s := range studies {
		for i := range s.Sizes {
			q := &s.Sizes[i]
			levels[q.Level] = append(levels[q.Level], q.RatioToMax(q.Recommended))
			if q.Measured > q.Recommended {
				above[q.Level]++
			}
		}
	}
	if len(levels) == 0 {
		return
	}
	b.WriteString("\n## Recommended sizes\n\nSizes in elements, from the profile, compared with the maximum " +
		"contents of the same tapped queues.\n")
	var kinds [][]string
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		x := levels[level]
		kinds = append(kinds, []string{level, fmt.Sprint(len(x)), fmt.Sprintf("%.2f", profile.MedianOf(x).Value),
			fmt.Sprint(above[level])})
	}
	table(b, []string{"level", "queues", "recommended / measured maximum, median", "measured above recommended"}, kinds)
}
