package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"xopt/mapper/result"
)

// slice is a firing and its track.
type slice struct {
	from, to float64 // µs
	track    int
}

// slicesOf returns the firings of each kernel in order of time.
func slicesOf(firings []event) map[string][]slice {
	list := make(map[string][]slice)
	for i := range firings {
		e := &firings[i]
		list[e.Name] = append(list[e.Name], slice{e.Time, e.Time + e.Lasts, e.TID})
	}
	for name := range list {
		slices.SortFunc(list[name], func(a, b slice) int { return cmp.Compare(a.from, b.from) })
	}
	return list
}

// at returns the last firing that started before the given time. It returns false if there is none, or if the time is
// after the end of the log. A kernel may send or release an element after the end of the element's firing, at the start
// of the next firing.
func at(list []slice, time float64) (slice, bool) {
	i := sort.Search(len(list), func(i int) bool { return list[i].from > time+tolerance }) - 1
	if i < 0 || i == len(list)-1 && time > list[i].to+tolerance {
		return slice{}, false
	}
	return list[i], true
}

// inside returns the time within a firing that is closest to the given time.
func (s slice) inside(time float64) float64 {
	const before = 0.999 // a slice does not include its end
	return min(max(time, s.from), s.from+before*(s.to-s.from))
}

// flows adds an arrow for each element, from the firing that sent it to the firing that consumed it. It omits arrows
// with an end outside the log, because viewers require slices at both ends.
func (f *file) flows(r *result.Result, firings []event) {
	of := slicesOf(firings)
	ends := make(map[string]*result.Edge, len(r.Edges))
	for i := range r.Edges {
		ends[r.Edges[i].Name] = &r.Edges[i]
	}
	for i := range r.Measured.Edges {
		e := &r.Measured.Edges[i]
		edge := ends[e.Edge]
		if i < len(r.Edges) && r.Edges[i].Name == e.Edge {
			edge = &r.Edges[i] // edges of one output share a name
		}
		if edge == nil {
			continue
		}
		for _, x := range e.Released {
			sent, consumed := 1e6*float64(x.Time-x.Value), 1e6*x.Time
			from, ok := at(of[edge.From], sent)
			to, too := at(of[edge.To], consumed)
			if !ok || !too {
				continue
			}
			start := from.inside(sent)
			one := event{Name: e.Edge, Cat: "element", Phase: "s", ID: fmt.Sprintf("%d.%d", i, x.Index),
				Time: start, PID: resources, TID: from.track, Args: map[string]any{"element": x.Index}}
			f.add(one)
			one.Phase, one.Bind, one.Time, one.TID, one.Args = "f", "e", max(start, to.inside(consumed)), to.track, nil
			f.add(one)
		}
	}
}
