package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// readiness tells of points whether the answers that they come after are written. Many points come after the same.
func (w *Watch) readiness() func(n int) bool {
	var last *Range
	known := false
	return func(n int) bool {
		after := w.f.Points[n].After
		if after == nil {
			return true
		}
		if last == nil || *after != *last {
			last, known = after, !slices.Contains(w.where[after.From:after.To+1], "")
		}
		return known
	}
}

// blocked marks the points that come after one that went wrong, or that is blocked itself: they cannot be computed
// before that one is tried again.
func (w *Watch) blocked() []bool {
	list := make([]bool, len(w.f.Points))
	var last *Range
	known := false
	for n := range list {
		after := w.f.Points[n].After
		if after == nil || w.done[n] {
			continue
		}
		if last == nil || *after != *last {
			last, known = after, false
			for m := after.From; m <= after.To && !known; m++ {
				known = list[m] || w.over(m) && !w.done[m]
			}
		}
		list[n] = known
	}
	return list
}

// files are the files of results that hold the answers which a point comes after.
func (w *Watch) files(n int) []string {
	after := w.f.Points[n].After
	if after == nil {
		return nil
	}
	var names []string
	for _, name := range w.where[after.From : after.To+1] {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// after reads the answers that a point comes after, from the files that hold them.
func (f *Folder) after(p *Point, names []string) ([]json.RawMessage, error) {
	if p.After == nil {
		return nil, nil
	}
	list := make([]json.RawMessage, p.After.To-p.After.From+1)
	for _, name := range names {
		h, answers, err := f.readAnswers(name)
		var damaged *DamagedError
		if errors.As(err, &damaged) {
			return nil, fmt.Errorf("%w; xopt campaign resume computes its points again", err)
		} else if err != nil {
			return nil, fmt.Errorf("reading what point %d comes after: %w", p.N+1, err)
		}
		for i, d := range h.Done {
			if at := d.N - p.After.From; at >= 0 && at < len(list) {
				list[at] = answers[i]
			}
		}
	}
	if i := slices.IndexFunc(list, func(x json.RawMessage) bool { return x == nil }); i >= 0 {
		return nil, fmt.Errorf("point %d comes after point %d, whose answer is not there", p.N+1, p.After.From+i+1)
	}
	return list, nil
}
