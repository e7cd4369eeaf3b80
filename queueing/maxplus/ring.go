package maxplus

// ring is a growing queue of times, each with its number of elements.
type ring struct {
	records    []record // length is a power of 2
	head, tail int
}

type record struct {
	time float64
	n    int64
}

func (r *ring) reset() { r.head, r.tail = 0, 0 }

func (r *ring) empty() bool { return r.head == r.tail }

func (r *ring) push(time float64, n int64) {
	if r.tail-r.head == len(r.records) {
		r.grow()
	}
	r.records[r.tail&(len(r.records)-1)] = record{time, n}
	r.tail++
}

func (r *ring) front() *record { return &r.records[r.head&(len(r.records)-1)] }

func (r *ring) grow() {
	bigger := make([]record, max(16, 2*len(r.records)))
	for i := r.head; i < r.tail; i++ {
		bigger[i-r.head] = r.records[i&(len(r.records)-1)]
	}
	r.tail -= r.head
	r.head = 0
	r.records = bigger
}

// remove removes n elements, and returns the time of the first removed element.
func (r *ring) remove(n int64) float64 {
	first := r.front().time
	for n > 0 {
		f := r.front()
		if f.n > n {
			f.n -= n
			break
		}
		n -= f.n
		r.head++
	}
	return first
}
