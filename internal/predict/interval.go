package predict

import (
	"fmt"

	"xopt/flow"
	"xopt/internal/result"
)

// interval tells between which throughputs the candidate lies when every measured service
// rate is at the lower, or at the upper, end of its 95 % confidence interval: all errors
// working together, so the truth is likely well inside.
func (b *builder) interval() error {
	var known []int // stations
	for at := range b.network.Stations {
		if f := figuresOf(b.network, at); f != nil && f.Low > 0 && f.High >= f.Low {
			known = append(known, at)
			if f.Unusable {
				b.out.IntervalAssumed++
			}
		}
	}
	if len(known) == 0 {
		return nil
	}
	variations := flow.NewVariations(b.network)
	var ends [2]result.Number
	for j, end := range []func(*flow.Figures) float64{
		func(f *flow.Figures) float64 { return f.Low }, func(f *flow.Figures) float64 { return f.High },
	} {
		throughput, err := variations.Throughput(known, func(at int) float64 {
			f := figuresOf(b.network, at)
			return end(f) / f.ServiceRate
		})
		if err != nil {
			return fmt.Errorf("finding between which throughputs the mapping lies: %w", err)
		}
		ends[j] = result.Number(throughput)
	}
	b.out.Interval = &ends
	return nil
}

// figuresOf are those of the kernel of a station; nil for a link.
func figuresOf(n *flow.Network, station int) *flow.Figures {
	st := &n.Stations[station]
	if st.Kind != flow.KernelStation {
		return nil
	}
	return &n.Problem.Figures[st.Kernel][st.Resource]
}
