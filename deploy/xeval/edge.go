package xeval

// Edge is an edge by itself, as xmodel of Gayen 2008 has it (§3.1, §4.1): each element is available a
// delay after it was sent, or after the one before it was, for no two are under way together; edges do
// not see each other. The zero value has no delay.
type Edge struct {
	Delay int64 // ps
	last  int64
	any   bool
}

// Available is when the next element becomes available, which is sent at a time, in ps.
func (e *Edge) Available(sent int64) int64 {
	if !e.any {
		e.last, e.any = sent, true
	}
	e.last = max(sent, e.last) + e.Delay
	return e.last
}
