package trace

import (
	"context"
	"math"
)

// Summary contains statistics of a series of a table.
type Summary struct {
	Series int32
	Events [kinds]uint64 // number of events of each kind
	// First and Last are the times of its first and last event, in seconds.
	First, Last float64
	// Travel is the mean time in seconds from out to available, over Travels elements. Wait is the mean time
	// from available to in, over Waits elements.
	Travel, Wait   float64
	Travels, Waits uint64
	// Data is the number of bytes of the elements that the table stores.
	Data int64 `json:",omitempty"`
}

// Summarize reads a complete table, one series at a time, and returns a summary of each series.
func Summarize(ctx context.Context, t Table) ([]Summary, error) {
	var list []Summary
	for i := range t.Header().Series {
		s, err := summarize(ctx, t, int32(i))
		if err != nil {
			return nil, err
		}
		list = append(list, *s)
	}
	return list, nil
}

// summarize reads a complete series.
func summarize(ctx context.Context, t Table, series int32) (*Summary, error) {
	s := &Summary{Series: series, First: math.Inf(1)}
	of := &t.Header().Series[series]
	var at [kinds]*Cursor
	for k := range kinds {
		if !of.Has(k) {
			continue
		}
		r, err := t.Open(Stream{series, k})
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }() // it was only read
		at[k] = newCursor(r, int(min(t.Count(Stream{series, k})+1, readAhead)), 0)
	}
	var err error
	if of.IsPoint() {
		err = s.passes(ctx, at[Point])
	} else if err = s.elements(ctx, at); err == nil {
		s.Data, err = StoredBytes(t, series)
	}
	if s.Last < s.First { // there are no events
		s.First = 0
	}
	return s, err
}

// see counts an event.
func (s *Summary) see(e *Event) {
	s.Events[e.Kind]++
	s.First, s.Last = min(s.First, e.Seconds()), max(s.Last, e.Seconds())
}

// passes counts the passes of a testpoint.
func (s *Summary) passes(ctx context.Context, at *Cursor) error {
	for n := 0; ; n++ {
		if n%readAhead == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, err := at.Next()
		if e == nil || err != nil {
			return err
		}
		s.see(e)
	}
}

// elements adds the events of an edge, one element at a time.
func (s *Summary) elements(ctx context.Context, at [kinds]*Cursor) error {
	var now [Point]*Event // next event of each kind
	for n := 0; ; n++ {
		if n%readAhead == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		minimum := uint64(math.MaxUint64)
		for k := range now {
			var err error
			if now[k] == nil && at[k] != nil {
				if now[k], err = at[k].Next(); err != nil {
					return err
				}
			}
			if now[k] == nil {
				at[k] = nil
				continue
			}
			minimum = min(minimum, now[k].Index)
		}
		if at == [kinds]*Cursor{} {
			return nil
		}
		var same [Point]*Event
		for k, e := range now {
			if e != nil && e.Index == minimum {
				same[k], now[k] = e, nil
				s.see(e)
			}
		}
		s.element(&same)
	}
}

// element adds the travel and wait times of one element if its events are known.
func (s *Summary) element(e *[Point]*Event) {
	if e[Available] == nil {
		return
	}
	if e[Out] != nil {
		add(&s.Travel, &s.Travels, e[Available].Time-e[Out].Time)
	}
	if e[In] != nil {
		add(&s.Wait, &s.Waits, e[In].Time-e[Available].Time)
	}
}

// add updates a mean of n times, in seconds, with a time in ps.
func add(mean *float64, n *uint64, ps int64) {
	*n++
	*mean += (float64(ps)/PerSecond - *mean) / float64(*n)
}
