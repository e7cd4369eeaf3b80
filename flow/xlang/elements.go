package xlang

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"xopt/flow/faults"
	"xopt/internal/units"
)

// listValue is a list with one value for each element of an array: [1, 2, 4] or [1..8].
type listValue struct {
	Items []listItem `parser:"'[' @@ (',' @@)* ']'"`
}

type listItem struct {
	Text *string `parser:"@String"`
	Lo   *expr   `parser:"| @@"`
	Hi   *expr   `parser:"('..' @@)?"`
}

// expand returns the values of a list.
func (v *value) expand(env Values) ([]value, *mistake) {
	var out []value
	for i := range v.List.Items {
		item := &v.List.Items[i]
		switch {
		case item.Text != nil:
			out = append(out, value{Pos: v.Pos, Text: item.Text})
			continue
		case item.Hi == nil:
			out = append(out, value{Pos: v.Pos, Expr: item.Lo})
			continue
		}
		lo, err := item.Lo.eval(env)
		if err != nil {
			return nil, err
		}
		hi, err := item.Hi.eval(env)
		if err != nil {
			return nil, err
		}
		if lo != math.Trunc(lo) || hi != math.Trunc(hi) || hi < lo || hi-lo >= maxArray {
			return nil, &mistake{faults.WrongRange, position(v.Pos), fmt.Sprintf("[%g..%g] is not a range of whole "+
				"numbers in ascending order", lo, hi), fmt.Sprintf("write a range of at most %d values, such as [1..4]",
				maxArray)}
		}
		for x := lo; x <= hi; x++ {
			digits := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
			number := factor{Pos: v.Pos, Negative: x < 0, Number: &digits}
			out = append(out, value{Pos: v.Pos, Expr: &expr{Pos: v.Pos, Head: term{Head: number}}})
		}
	}
	return out, nil
}

// shape describes a declaration: an array of n elements, or a single item. If the command line changes n (resized is
// true), elementSets truncates longer lists, and repeats the last item of shorter lists.
type shape struct {
	n       int
	isArray bool
	resized bool
}

// elementSets returns the values of the configs of each array element. lists contains one list for all elements, or one
// list for each element. A value is either one value for all elements, or a list with one value for each element. If
// all elements are equal, elementSets returns one set.
func elementSets(what string, s shape, lists []*setList, common []assign, env Values) ([][]assign, *mistake) {
	n := s.n
	if s.resized && len(lists) > 1 {
		lists = resize(lists, n)
	}
	switch {
	case len(lists) == 1:
		common = append(slices.Clone(common), lists[0].Sets...)
		lists = nil
	case len(lists) > 1 && !s.isArray:
		return nil, &mistake{faults.NotAnArray, position(lists[1].Pos), fmt.Sprintf("%s is not an array but has %d "+
			"lists of configs", what, len(lists)), "write one list, or declare an array"}
	case len(lists) > n:
		return nil, &mistake{faults.ArraySizesDiffer, position(lists[n].Pos), countMistake(what, n,
			len(lists)), countHint}
	case len(lists) > 1 && len(lists) < n:
		return nil, &mistake{faults.ArraySizesDiffer, position(lists[len(lists)-1].Pos), countMistake(what,
			n, len(lists)), countHint}
	}
	listed := slices.ContainsFunc(common, func(a assign) bool { return a.Value.List != nil })
	if lists == nil && !listed {
		return [][]assign{common}, nil
	}
	out := make([][]assign, n)
	for _, a := range common {
		values := []value{a.Value}
		if a.Value.List != nil {
			if !s.isArray {
				return nil, &mistake{faults.NotAnArray, position(a.Value.Pos), what + " is not an array but has a " +
					"list of values", "write one value"}
			}
			var err *mistake
			if values, err = a.Value.expand(env); err != nil {
				return nil, err
			}
			if s.resized {
				values = resize(values, n)
			}
			if len(values) != n {
				return nil, &mistake{faults.ArraySizesDiffer, position(a.Value.Pos),
					fmt.Sprintf("%s has %s, but config %s has %d values", what, units.Elements(n), quote(a.Name),
						len(values)),
					"write one value per element, or a single value without brackets for all elements"}
			}
		}
		for i := range out {
			own := a
			own.Value = values[min(i, len(values)-1)]
			out[i] = append(out[i], own)
		}
	}
	for i := range lists {
		out[i] = append(out[i], lists[i].Sets...)
	}
	return out, nil
}

// resize truncates a list to n items, or repeats its last item up to n items.
func resize[T any](list []T, n int) []T {
	for len(list) < n {
		list = append(list, list[len(list)-1])
	}
	return list[:n]
}

const countHint = "write one list per element, or a single list for all elements"

func countMistake(what string, n, lists int) string {
	return fmt.Sprintf("%s has %s but %s of configs", what, units.Elements(n), units.Counted(lists, "list", "lists"))
}
