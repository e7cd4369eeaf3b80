package run

import (
	"math"

	"xopt/flow/design"
	"xopt/flow/xlang"
)

// waits adds the mean waiting time of the firings of kernels on cores. A wait extends from the send of an element until
// the kernel starts to process it. The time from the send of an element to its release is its wait plus the firing that
// released it. The mean wait is therefore the difference of the two means. The result for a join is the shortest mean
// wait of its inputs. The mean wait for a complete set is at most this value, because the set ends with the last input.
// If a firing consumes several elements of a port, the two means do not determine the wait.
func (r *recorder) waits() {
	p := r.design.Program
	once := p.SentOnce()
	for k := range r.from.Kernels {
		kernel, out := &p.Kernels[k], &r.out.Kernels[k]
		if out.Service == nil || len(kernel.Inputs) == 0 || design.IsFPGA(p, r.design.Mapping.Place[k]) {
			continue
		}
		minimum, sum, elements := math.Inf(1), 0.0, 0.0
		for port := range kernel.Inputs {
			if once[k][port] {
				continue
			}
			w, n, ok := r.wait(k, port, out.Service.Mean)
			if !ok || consumedPerFiring(kernel, port) != 1 {
				minimum = math.NaN()
				break
			}
			minimum, sum, elements = min(minimum, w), sum+w*n, elements+n
		}
		switch joined := len(kernel.Joins); {
		case math.IsNaN(minimum) || elements == 0 || joined > 1 || joined == 1 && len(kernel.Joins[0].Ports) <
			streams(once[k]):
		case joined == 1 && len(kernel.Joins[0].Ports) > 1:
			v := minimum
			out.Wait, out.WaitAtMost = &v, true
		default:
			v := sum / elements
			out.Wait = &v
		}
	}
}

// streams counts the inputs, without those whose data are sent only once.
func streams(once []bool) (n int) {
	for _, o := range once {
		if !o {
			n++
		}
	}
	return n
}

// consumedPerFiring returns the number of elements of a port that a firing consumes.
func consumedPerFiring(kernel *xlang.Kernel, port int) float64 {
	for _, j := range kernel.Joins {
		for i, p := range j.Ports {
			if p == port {
				return j.Counts[i]
			}
		}
	}
	return 1
}

// wait returns the mean wait in seconds and the number of elements of an input port. ok is false if the wait is
// unknown. service is the mean service time of the kernel.
func (r *recorder) wait(k, port int, service float64) (mean, elements float64, ok bool) {
	sum := 0.0
	for i := range r.from.Edges {
		edge := &r.design.Program.Edges[i]
		if edge.To != k || edge.ToPort != port {
			continue
		}
		d := r.out.Edges[i].Latency
		if d == nil {
			return 0, 0, false
		}
		n := float64(r.out.Edges[i].Elements)
		sum += n * max(0, d.Mean-service)
		elements += n
	}
	if elements == 0 {
		return 0, 0, false
	}
	return sum / elements, elements, true
}
