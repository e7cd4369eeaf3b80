package result

// MostLogged is how many firings and elements of --log a result has at the most: about 60 bytes each in its file.
const MostLogged = 1 << 21

// logs are those of the firings of each kernel, and of the elements of each edge.
func (m *Measured) logs() (firings, elements []*[]Logged) {
	if m == nil {
		return nil, nil
	}
	for i := range m.Kernels {
		firings = append(firings, &m.Kernels[i].Log)
	}
	for i := range m.Edges {
		elements = append(elements, &m.Edges[i].Log, &m.Edges[i].Released)
	}
	return firings, elements
}

// logged is how many firings and elements a run has logged.
func (m *Measured) logged() (n int) {
	firings, elements := m.logs()
	return held(firings) + held(elements)
}

func held(logs []*[]Logged) (n int) {
	for _, x := range logs {
		n += len(*x)
	}
	return n
}

// BoundLogs leaves so many logged firings and elements at the most: of each kernel and edge the first, and as many of
// one as of another as far as they have them. Firings go before elements, because a replay needs them. It returns how
// many are left out.
func (m *Measured) BoundLogs(most int) (left int) {
	firings, elements := m.logs()
	left = cut(firings, most)
	return left + cut(elements, most-held(firings))
}

// cut shortens logs to so many entries in all, the longest first.
func cut(logs []*[]Logged, most int) (left int) {
	each := fairShare(logs, most)
	for _, x := range logs {
		if n := len(*x); n > each {
			left += n - each
			*x = (*x)[:each:each]
		}
	}
	return left
}

// fairShare is the longest length of logs of which, where longer ones are cut to it, no more than most entries are.
func fairShare(logs []*[]Logged, most int) int {
	low, high := 0, 0 // low is short enough
	for _, x := range logs {
		high = max(high, len(*x))
	}
	for low < high {
		middle := high - (high-low)/2
		n := 0
		for _, x := range logs {
			n += min(len(*x), middle)
		}
		if n <= most {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
