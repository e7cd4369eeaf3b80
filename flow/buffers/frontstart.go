package buffers

import "slices"

// fromStart compares the chosen sizes of a front with the recommended sizes, if the recommended sizes need less memory.
// It chooses the recommended sizes if a longer simulation confirms them. Otherwise it stores the fraction of the
// throughput that the recommended sizes preserve.
func (x *explorer) fromStart(front *Front, start []int) error {
	t := &trial{sizes: x.equal(start)}
	if t.memory = x.memory(t.sizes); t.memory >= front.Points[front.Chosen].Memory {
		return nil
	}
	before := *front
	confirmed, err := x.confirmed(front, t)
	if err != nil {
		return err
	}
	p := FrontPoint{Sizes: t.sizes, Memory: t.memory, Throughput: front.Confirmed.Throughput.Value}
	if !confirmed {
		low, insufficient := front.Low, front.Insufficient
		*front = before
		front.Start, front.StartLow = &p, low
		if front.Insufficient = insufficient; insufficient >= front.Points[front.Chosen].Memory {
			front.Insufficient = 0
		}
		return nil
	}
	less := slices.IndexFunc(front.Points, func(q FrontPoint) bool {
		return q.Memory >= p.Memory || q.Throughput >= p.Throughput
	})
	if less < 0 {
		less = front.Chosen
	}
	front.Points = slices.Replace(front.Points, less, front.Chosen+1, p)
	front.Chosen, front.Minimal = less, false
	if front.Enlarged >= p.Memory {
		front.Enlarged = 0
	}
	if front.Insufficient >= p.Memory {
		front.Insufficient = 0
	}
	return nil
}
