package trace

import (
	"context"
	"errors"
	"io"
)

// Summary is what a table says of a series, in short.
type Summary struct {
	Series int32
	Events [kinds]uint64 // of each kind
	// First and Last are the times of its first and last event, in seconds.
	First, Last float64
	// Travel is the mean time from out to available, and Wait that from available to in, in seconds, of the
	// elements of which both are known: Travels, and Waits.
	Travel, Wait   float64
	Travels, Waits uint64
}

// Summarize reads a table through, a series at a time.
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

// cursor reads one stream, an event at a time.
type cursor struct {
	r    Reader
	buf  []Event
	left []Event
}

// next is the next event; nil at the end.
func (c *cursor) next() (*Event, error) {
	if len(c.left) == 0 {
		n, err := c.r.Read(c.buf)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c.left = c.buf[:n]
	}
	e := &c.left[0]
	c.left = c.left[1:]
	return e, nil
}

func summarize(ctx context.Context, t Table, series int32) (_ *Summary, err error) {
	s := &Summary{Series: series}
	of := &t.Header().Series[series]
	var at [kinds]*cursor
	var now [kinds]*Event
	for k := range kinds {
		if !of.Has(k) {
			continue
		}
		r, oerr := t.Open(Stream{series, k})
		if oerr != nil {
			return nil, oerr
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		at[k] = &cursor{r: r, buf: make([]Event, readAhead)}
		s.Events[k] = t.Count(Stream{series, k})
	}
	mean := func(mean *float64, n *uint64, ps int64) {
		*n++
		*mean += (float64(ps)/PerSecond - *mean) / float64(*n)
	}
	any := false
	see := func(e *Event) {
		if !any || e.Seconds() < s.First {
			s.First = e.Seconds()
		}
		any, s.Last = true, max(s.Last, e.Seconds())
	}
	if of.IsPoint() {
		for e, err := at[Point].next(); e != nil || err != nil; e, err = at[Point].next() {
			if err != nil {
				return nil, err
			}
			see(e)
		}
		return s, nil
	}
	for n := 0; ; n++ {
		if n%readAhead == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k := range Point {
			if now[k] == nil && at[k] != nil {
				if now[k], err = at[k].next(); err != nil {
					return nil, err
				}
				if now[k] == nil {
					at[k] = nil
				}
			}
		}
		least := uint64(1<<64 - 1)
		for k := range Point {
			if now[k] != nil {
				least = min(least, now[k].Index)
			}
		}
		var same [kinds]*Event
		for k := range Point {
			if now[k] != nil && now[k].Index == least {
				same[k], now[k] = now[k], nil
				see(same[k])
			}
		}
		if same == [kinds]*Event{} {
			return s, nil
		}
		if a := same[Available]; a != nil {
			if same[Out] != nil {
				mean(&s.Travel, &s.Travels, a.Time-same[Out].Time)
			}
			if same[In] != nil {
				mean(&s.Wait, &s.Waits, same[In].Time-a.Time)
			}
		}
	}
}
