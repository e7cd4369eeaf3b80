package result

// MaxLogged is the maximum number of logged firings and elements (--log) in a result. Each needs approximately 60 bytes
// in the file.
const MaxLogged = 1 << 21

// logs returns the logs of the firings of each kernel, and of the elements of each edge.
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

// logged returns the number of logged firings and elements.
func (m *Measured) logged() (n int) {
	firings, elements := m.logs()
	return countLogged(firings) + countLogged(elements)
}

func countLogged(logs []*[]Logged) (n int) {
	for _, x := range logs {
		n += len(*x)
	}
	return n
}

// BoundLogs truncates the logs to maximum entries in total, and returns the number of removed entries. It keeps the
// first entries of each kernel and edge, in equal numbers as far as possible. Firings have priority over elements,
// because a replay needs them.
func (m *Measured) BoundLogs(maximum int) (left int) {
	firings, elements := m.logs()
	left = cut(firings, maximum)
	return left + cut(elements, maximum-countLogged(firings))
}

// cut truncates logs, the longest first, to a maximum number of entries in total. It returns the number of removed
// entries.
func cut(logs []*[]Logged, maximum int) (left int) {
	each := fairShare(logs, maximum)
	for _, x := range logs {
		if n := len(*x); n > each {
			left += n - each
			*x = (*x)[:each:each]
		}
	}
	return left
}

// fairShare returns the maximum length to which logs can be truncated so that at most maximum entries remain.
func fairShare(logs []*[]Logged, maximum int) int {
	low, high := 0, 0 // logs of length low are short enough
	for _, x := range logs {
		high = max(high, len(*x))
	}
	for low < high {
		middle := high - (high-low)/2
		n := 0
		for _, x := range logs {
			n += min(len(*x), middle)
		}
		if n <= maximum {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
