package trace

import "fmt"

// order checks that the events of each stream do not go back. It is a part of all writers.
type order struct {
	last []Event // of each stream, by its place
	any  []bool
}

// place is where a stream stands in tables by stream.
func (s Stream) place() int { return int(s.Series)*int(kinds) + int(s.Kind) }

// check is of the next event of its stream.
func (o *order) check(e *Event) error {
	if e.Kind >= kinds || e.Series < 0 || e.Time < 0 {
		return fmt.Errorf("an event of %v of series %d at %d ps: there are no such events", e.Kind, e.Series, e.Time)
	}
	at := Stream{e.Series, e.Kind}.place()
	for at >= len(o.last) {
		o.last = append(o.last, Event{})
		o.any = append(o.any, false)
	}
	if before := &o.last[at]; o.any[at] && (e.Time < before.Time || e.Index <= before.Index) {
		return fmt.Errorf("%w: of series %d, %v, element %d at %d ps comes after element %d at %d ps", ErrOrder,
			e.Series, e.Kind, e.Index, e.Time, before.Index, before.Time)
	}
	o.last[at], o.any[at] = *e, true
	return nil
}
