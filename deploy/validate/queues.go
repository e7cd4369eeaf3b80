package validate

import (
	"math"

	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
	"xopt/queueing"
)

// addQueues adds the queues of a run. The queue of a kernel with several inputs is the sum of the maxima of these
// inputs.
func (c *Case) addQueues(d *design.Design, m *run.Measurement) {
	maximum, buffer := make([]float64, len(c.Queues)), make([]float64, len(c.Queues))
	for e, edge := range d.Program.Edges {
		maximum[edge.To] += float64(m.Edges[e].MaxOccupancy)
		buffer[edge.To] += float64(m.Edges[e].Capacity)
	}
	for k := range c.Queues {
		c.Queues[k].Measured, c.Queues[k].Buffer = max(c.Queues[k].Measured, maximum[k]), buffer[k]
	}
}

// queues predicts the queue of every kernel.
func (c *Case) queues(d *design.Design, n *flow.Network, s *flow.Solution) {
	c.Queues = make([]result.ValidatedQueue, len(d.Program.Kernels))
	for k := range c.Queues {
		c.Queues[k].Kernel = d.Program.Kernels[k].Name
	}
	for i := range n.Stations {
		st := &n.Stations[i]
		if st.Kind != flow.KernelStation || len(d.Program.Kernels[st.Kernel].Inputs) == 0 ||
			!(s.Stations[i].ArrivalRate > 0) {
			continue
		}
		rho := math.Min(s.Stations[i].Utilization, d.Problem.MaxUtilization)
		if d.Problem.MaxUtilization == 0 {
			rho = math.Min(s.Stations[i].Utilization, flow.DefaultMaxUtilization)
		}
		c.Queues[st.Kernel].Utilization = rho
		if k, err := queueing.Capacity(rho, queueing.DefaultProbability); err == nil {
			c.Queues[st.Kernel].Predicted = k
		}
	}
}
