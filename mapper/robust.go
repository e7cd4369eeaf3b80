package mapper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"xopt/flow"
	"xopt/mapper/faults"
)

// RobustOptions controls the ranking of mappings under the uncertainty of their figures.
type RobustOptions struct {
	Samples  int     // number of draws of all figures; 0 means usualSamples
	Quantile float64 // quantile of throughput for the ranking; 0 means 0.05
	// Doubt is the assumed relative half-width of the 95 % interval of service rates and bandwidths that have no
	// interval. If it is 0, stated figures are exact, and measured figures use MeasuredDoubt.
	Doubt float64
	Seed  uint64
}

// Robustness compares one mapping with the first ranked mapping under random draws of rates, bandwidths and costs.
// Errors are independent and stay within the intervals of the figures. Errors of rates and bandwidths are log-normally
// distributed, errors of costs normally.
type Robustness struct {
	Low    Number `json:"low,omitempty"` // quantile of throughput, bytes/s; 0 if it does not determine the rank
	Same   Number `json:"same"`          // fraction of the draws in which the mapping ties with the first
	Behind Number `json:"behind"`        // fraction of the draws in which the first mapping is faster, excluding ties
	// Decide is the figure whose more precise measurement best distinguishes the mapping from the first. It is nil if
	// the two mappings differ with 95 % confidence, or tie in most draws.
	Decide *Doubt `json:"decide,omitempty"`
}

// Doubt identifies a figure with a confidence interval.
type Doubt struct {
	Block    string `json:"block,omitempty"`    // block of a rate or cost; "" for the switch cost of a core
	Platform string `json:"platform,omitempty"` // platform of a rate or cost
	Link     string `json:"link,omitempty"`     // link of a bandwidth or of a cost per transfer
	Cost     string `json:"cost,omitempty"`     // "co-location", "receive", …; "" for a rate
	Part     Number `json:"part"`               // fraction of the variance of the difference that the figure causes
}

// MeasuredDoubt is the assumed relative half-width of the interval of a figure that was measured in too few windows.
const MeasuredDoubt = 0.1

// usualSamples is the default number of draws.
const usualSamples = 400

// confidence is the confidence level at which two mappings count as different.
const confidence = 0.95

// RobustReport describes the draws: their number and the figures drawn.
type RobustReport struct {
	Samples   int    `json:"samples"`
	Quantile  Number `json:"quantile"`
	Doubt     Number `json:"doubt"`     // RobustOptions.Doubt
	Uncertain int    `json:"uncertain"` // number of drawn figures
	Exact     int    `json:"exact"`     // number of figures treated as exact
	// Assumed counts the measured figures without an interval, assumed within MeasuredDoubt.
	Assumed int `json:"assumed,omitempty"`
	// Unusable counts the measured figures whose interval was too wide and was replaced.
	Unusable int `json:"unusable,omitempty"`
}

// uncertain is a figure to draw: of all instances of a block on a platform, of a core, or of a link.
type uncertain struct {
	doubt    Doubt
	value    float64
	interval flow.Interval // 95 % confidence interval
	cells    [][2]int      // kernels on resources
	// resource and link are -1 for none.
	resource, link int
	unusable       bool // the measured interval was replaced
}

// at returns the value of the figure at z standard deviations, limited to its interval. The two sides of the interval
// may have different widths. Errors of rates are factors. Errors of costs are differences, because a cost may be 0.
func (u *uncertain) at(z float64) float64 {
	part, bound := min(math.Abs(z)/normal95, 1), u.interval.Low
	if z > 0 {
		bound = u.interval.High
	}
	if u.doubt.Cost == "" {
		return u.value * math.Pow(bound/u.value, part)
	}
	return u.value + part*(bound-u.value)
}

// Robust ranks candidates by a low quantile of their throughput over random draws of the figures. It returns the ranked
// candidates, and compares each of them with the first.
func Robust(ctx context.Context, p *flow.Problem, candidates []Candidate, o RobustOptions) ([]Candidate, []Robustness,
	*RobustReport, error) {
	o.Samples = cmp.Or(o.Samples, usualSamples)
	if o.Quantile == 0 {
		o.Quantile = 0.05
	}
	list := doubts(p, o.Doubt)
	figures := list.figures
	if len(figures) == 0 {
		return nil, nil, nil, goalErrorf(faults.NoIntervals, "no figure has a confidence interval (measure the "+
			"kernels with xopt calibrate and use --profile, or assume an uncertainty with --doubt)")
	}
	report := &RobustReport{Samples: o.Samples, Quantile: Number(o.Quantile), Doubt: Number(o.Doubt),
		Uncertain: len(figures), Exact: list.exact, Assumed: list.assumed}
	for _, f := range figures {
		if f.unusable {
			report.Unusable++
		}
	}
	draws, log, err := sampled(ctx, p, candidates, figures, o)
	if err != nil {
		return nil, nil, nil, err
	}
	low := make([]float64, len(candidates))
	order := make([]int, len(candidates))
	for i := range candidates {
		sorted := slices.Clone(log[i])
		slices.Sort(sorted)
		low[i] = math.Exp(sorted[int(o.Quantile*float64(len(sorted)-1))])
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(low[a]-low[b]) > sameThroughput*low[a] {
			return cmp.Compare(low[b], low[a])
		}
		return cmp.Compare(a, b)
	})
	ranked, found := make([]Candidate, len(order)), make([]Robustness, len(order))
	for i, at := range order {
		ranked[i] = candidates[at]
		found[i] = compare(log[order[0]], log[at], draws, figures)
		found[i].Low = Number(low[at])
	}
	return ranked, found, report, nil
}

// Distinguish compares each candidate with the first, like [Robust], but keeps the order of the candidates. kept
// contains the fraction of each candidate's throughput that its buffers preserve. The result is nil if no figure has an
// interval.
func Distinguish(ctx context.Context, p *flow.Problem, candidates []Candidate, kept []float64, o RobustOptions) (
	[]Robustness, error) {
	figures := doubts(p, o.Doubt).figures
	if len(figures) == 0 {
		return nil, nil
	}
	o.Samples = cmp.Or(o.Samples, usualSamples)
	draws, log, err := sampled(ctx, p, candidates, figures, o)
	if err != nil {
		return nil, err
	}
	found := make([]Robustness, len(candidates))
	for i := range log {
		for s := range log[i] {
			log[i][s] += math.Log(kept[i])
		}
		found[i] = compare(log[0], log[i], draws, figures)
	}
	return found, nil
}

// sampled draws all figures o.Samples times. It returns the draws, in standard deviations by sample and figure, and the
// logarithms of the throughputs by candidate and sample.
func sampled(ctx context.Context, p *flow.Problem, candidates []Candidate, figures []uncertain, o RobustOptions) (
	draws, log [][]float64, err error) {
	prepared, err := flow.Prepare(p)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x726f62))
	draws, log = make([][]float64, o.Samples), make([][]float64, len(candidates))
	for s := range draws {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		draws[s] = make([]float64, len(figures))
		for f := range figures {
			draws[s][f] = rng.NormFloat64()
		}
		scorer, err := prepared.With(drawn(p, figures, draws[s])).Scorer(candidates[0].Mapping)
		if err != nil {
			return nil, nil, fmt.Errorf("drawing figures: %w", err)
		}
		for i := range candidates {
			if err := scorer.Set(candidates[i].Mapping); err != nil {
				return nil, nil, fmt.Errorf("drawing figures: %w", err)
			}
			log[i] = append(log[i], math.Log(scorer.Throughput()))
		}
	}
	return draws, log, nil
}

// doubtKey identifies a figure that several kernels or resources share.
type doubtKey struct {
	of       Doubt
	value    float64
	interval flow.Interval
}

// doubtList is a list of figures with intervals, without duplicates.
type doubtList struct {
	figures []uncertain
	index   map[doubtKey]int
	counted map[doubtKey]bool
	doubt   float64 // RobustOptions.Doubt
	exact   int     // number of rates and bandwidths treated as exact
	assumed int     // number of figures with an assumed interval because they have too few windows
}

// put adds a figure. If the list contains the figure already, put adds only its kernel and resource.
func (l *doubtList) put(u uncertain, cell *[2]int) {
	id := doubtKey{u.doubt, u.value, u.interval}
	at, ok := l.index[id]
	if !ok {
		at = len(l.figures)
		l.index[id] = at
		l.figures = append(l.figures, u)
	}
	if cell != nil {
		l.figures[at].cells = append(l.figures[at].cells, *cell)
	}
}

// rate adds a rate or a bandwidth, with its own or an assumed interval.
func (l *doubtList) rate(u uncertain, origin flow.Origin, cell *[2]int) {
	if x := u.interval; !(x.Low > 0 && x.High > x.Low && x.Low <= u.value && u.value <= x.High) {
		half := l.doubt
		if half == 0 && (origin == flow.Measured || origin == flow.Simulated) {
			half = MeasuredDoubt
		}
		id := doubtKey{u.doubt, u.value, u.interval}
		first := !l.counted[id]
		l.counted[id] = true
		// Figures that were measured without spread, and figures that never limit the flow, are exact.
		if half == 0 || x.Low > 0 || u.value == 0 || math.IsInf(u.value, 1) {
			if first {
				l.exact++
			}
			return
		}
		u.interval = flow.Interval{Low: u.value / (1 + half), High: u.value * (1 + half)}
		if l.doubt == 0 && first {
			l.assumed++
		}
	}
	l.put(u, cell)
}

// cost adds a cost if it has an interval.
func (l *doubtList) cost(u uncertain, cell *[2]int) {
	if x := u.interval; x.Low >= 0 && x.High > x.Low && x.Low <= u.value && u.value <= x.High {
		l.put(u, cell)
	}
}

// doubts collects the figures of a problem that have intervals.
func doubts(p *flow.Problem, doubt float64) *doubtList {
	list := &doubtList{index: make(map[doubtKey]int), counted: make(map[doubtKey]bool), doubt: doubt}
	for k := range p.Figures {
		for r := range p.Figures[k] {
			f := &p.Figures[k][r]
			if !f.Available {
				continue
			}
			of := Doubt{Block: p.Application.Kernels[k].Block, Platform: p.Architecture.Resources[r].Platform}
			if of.Block == "" {
				of.Block = p.Application.Kernels[k].Name
			}
			cell := &[2]int{k, r}
			list.rate(uncertain{doubt: of, value: f.ServiceRate, interval: flow.Interval{Low: f.Low, High: f.High},
				resource: -1, link: -1, unusable: f.Unusable}, f.Origin, cell)
			for _, c := range costsOf(f) {
				of.Cost = c.part.String()
				list.cost(uncertain{doubt: of, value: *c.value, interval: c.interval, resource: -1, link: -1}, cell)
			}
		}
	}
	for r := range p.Architecture.Resources {
		x := &p.Architecture.Resources[r]
		list.cost(uncertain{doubt: Doubt{Platform: x.Name, Cost: flow.Switching.String()}, resource: r, link: -1,
			value: x.Sharing.SwitchCost, interval: x.Sharing.SwitchInterval}, nil)
	}
	for i := range p.Architecture.Links {
		x := &p.Architecture.Links[i]
		list.rate(uncertain{doubt: Doubt{Link: x.Name}, value: x.Bandwidth, resource: -1, link: i,
			interval: flow.Interval{Low: x.Low, High: x.High}, unusable: x.Unusable}, x.Origin, nil)
		list.cost(uncertain{doubt: Doubt{Link: x.Name, Cost: flow.Transfers.String()}, resource: -1, link: i,
			value: x.Sharing.TransferCost, interval: x.Sharing.TransferInterval}, nil)
	}
	return list
}

// kernelCost is a cost of a kernel on a resource.
type kernelCost struct {
	part     flow.Part
	value    *float64
	interval flow.Interval
}

func costsOf(f *flow.Figures) [4]kernelCost {
	return [...]kernelCost{{flow.CoLocation, &f.CoLocationCost, f.CoLocationInterval},
		{flow.Switching, &f.SwitchCost, f.SwitchInterval}, {flow.Receiving, &f.ReceiveCost, f.ReceiveInterval},
		{flow.Sending, &f.SendCost, f.SendInterval}}
}

// normal95 is the half-width of a normal distribution's 95 % interval, in standard deviations.
const normal95 = 1.959964

// drawn returns a copy of the problem. Figure i differs from its value by z[i] standard deviations.
func drawn(p *flow.Problem, figures []uncertain, z []float64) *flow.Problem {
	q := *p
	q.Figures = make([][]flow.Figures, len(p.Figures))
	for k := range p.Figures {
		q.Figures[k] = slices.Clone(p.Figures[k])
	}
	q.Architecture.Links = slices.Clone(p.Architecture.Links)
	q.Architecture.Resources = slices.Clone(p.Architecture.Resources)
	for i := range figures {
		u := &figures[i]
		value := u.at(z[i])
		for _, c := range u.cells {
			f := &q.Figures[c[0]][c[1]]
			if u.doubt.Cost == "" {
				f.ServiceRate = value
				continue
			}
			for _, x := range costsOf(f) {
				if x.part.String() == u.doubt.Cost {
					*x.value = value
					f.SwitchKnown = f.SwitchKnown || x.part == flow.Switching // remains known even if a draw is 0
				}
			}
		}
		switch {
		case u.resource >= 0:
			q.Architecture.Resources[u.resource].Sharing.SwitchCost = value
		case u.link >= 0 && u.doubt.Cost != "":
			q.Architecture.Links[u.link].Sharing.TransferCost = value
		case u.link >= 0:
			q.Architecture.Links[u.link].Bandwidth = value
		}
	}
	return &q
}

// compare computes the probability that the first mapping is faster than another. It also finds the figure that
// contributes most to the uncertainty of the difference, to first order (Sobol's index).
func compare(first, other []float64, draws [][]float64, figures []uncertain) Robustness {
	var r Robustness
	n := float64(len(first))
	mean, square := 0.0, 0.0
	same, behind := 0, 0
	for s := range first {
		d := first[s] - other[s]
		mean += d / n
		switch {
		case math.Abs(d) <= sameThroughput:
			same++
		case d > 0:
			behind++
		}
	}
	r.Same, r.Behind = Number(float64(same)/n), Number(float64(behind)/n)
	for s := range first {
		d := first[s] - other[s] - mean
		square += d * d
	}
	if r.Behind+r.Same/2 >= confidence || r.Same > 0.5 {
		return r
	}
	for f := range figures {
		product, own := 0.0, 0.0
		for s := range first {
			product += (first[s] - other[s] - mean) * draws[s][f]
			own += draws[s][f] * draws[s][f]
		}
		if part := Number(product * product / (square * own)); r.Decide == nil || part > r.Decide.Part {
			d := figures[f].doubt
			d.Part = part
			r.Decide = &d
		}
	}
	return r
}
