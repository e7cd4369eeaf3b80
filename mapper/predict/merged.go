package predict

import "xopt/mapper/result"

// balanced is the relative gain below which what removing a bottleneck brings is nothing to a reader: what
// limits then limits already.
const balanced = 1e-4

// merged puts steps together that are nearly equal, such as those of cores with equal loads: removing one of
// their limits alone brings nothing that shows.
func merged(steps []result.Step) []result.Step {
	var list []result.Step
	for _, s := range steps {
		if n := len(list); n > 0 && s.Throughput <= list[n-1].Throughput*(1+balanced) {
			list[n-1].Limits = append(list[n-1].Limits, s.Limits...)
			continue
		}
		list = append(list, s)
	}
	return list
}
