package xlang

// SentOnce tells of each input of each kernel whether what comes there is sent at the
// start only, such as a table, beside the stream that the kernel works on: it is no work
// of the kernel's. What a source sends that sends once stays so through kernels that
// take nothing else; of those themselves it is the stream.
func (p *Program) SentOnce() [][]bool {
	streams := make([]int, len(p.Kernels)) // edges that lead to it and carry a stream
	var only []int                         // kernels that send nothing else, in the order of data
	for _, e := range p.Edges {
		streams[e.To]++
	}
	for k := range p.Kernels {
		if p.Kernels[k].Once {
			only = append(only, k)
		}
	}
	once := make([][]bool, len(p.Kernels))
	for k := range once {
		once[k] = make([]bool, len(p.Kernels[k].Inputs))
	}
	for i := 0; i < len(only); i++ {
		for _, e := range p.Edges {
			if e.From != only[i] {
				continue
			}
			once[e.To][e.ToPort] = true
			if streams[e.To]--; streams[e.To] == 0 {
				only = append(only, e.To)
			}
		}
	}
	for _, k := range only {
		clear(once[k])
	}
	for _, e := range p.Edges { // a port to which a stream comes as well
		if streams[e.From] > 0 || len(p.Kernels[e.From].Inputs) == 0 && !p.Kernels[e.From].Once {
			once[e.To][e.ToPort] = false
		}
	}
	return once
}
