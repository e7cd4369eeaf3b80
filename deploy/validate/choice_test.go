package validate

import (
	"maps"
	"slices"
	"testing"
	"time"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/mapper/result"
)

// swapped returns a mapping with the two cores of [threeKernels] exchanged.
func swapped(m *flow.Mapping) *flow.Mapping {
	x := flow.Mapping{Place: make([]int, len(m.Place)), Route: m.Route}
	for k, r := range m.Place {
		x.Place[k] = 1 - r
	}
	return &x
}

// TestWithoutTwins: a mapping with equal cores exchanged is omitted and named, unless its buffers differ.
func TestWithoutTwins(t *testing.T) {
	d := threeKernels(t)
	list := Choices([]string{"a", "b"}, []*flow.Mapping{d.Mapping, swapped(d.Mapping)})
	mirrors := func([]*flow.Mapping) ([]int, error) { return []int{0, 0}, nil }
	kept, notes, err := WithoutTwins(d, list, mirrors)
	if err != nil || len(kept) != 1 || kept[0].Name != "a" || len(notes) != 1 || notes[0].ID != faults.MappingTwice {
		t.Errorf("kept %+v, notes %v, %v", kept, notes, err)
	}
	list[1].Buffers = map[int]int{0: 7}
	if kept, _, err = WithoutTwins(d, list, mirrors); err != nil || len(kept) != 1 { // the second was searched
		t.Errorf("of a file and a search: kept %+v, %v", kept, err)
	}
	list[1].File = "b.x"
	if kept, notes, err = WithoutTwins(d, list, mirrors); err != nil || len(kept) != 2 || len(notes) != 0 {
		t.Errorf("with other buffers: kept %+v, notes %v, %v", kept, notes, err)
	}
}

// TestResumedChoices: an interrupted validation goes on with its mappings, and those of files keep their buffers.
func TestResumedChoices(t *testing.T) {
	d := threeKernels(t)
	done := &Done{Cases: []Case{{Name: "a", Mapping: d.Mapping}, {Name: "best 1", Mapping: swapped(d.Mapping)}},
		Flows: [][][]float64{make([][]float64, 2), make([][]float64, 2)}}
	list, err := done.Choices(d, []Choice{{Name: "a", Buffers: map[int]int{1: 9}, File: "a.x"}})
	if err != nil || len(list) != 2 || list[0].Buffers[1] != 9 || list[0].Mapping != d.Mapping || list[1].File != "" {
		t.Errorf("%+v, %v", list, err)
	}
	for name, wrong := range map[string]*Done{
		"no runs":         {},
		"another mapping": {Cases: []Case{{Name: "a", Mapping: &flow.Mapping{}}}, Flows: done.Flows[:1]},
		"other edges":     {Cases: done.Cases[:1], Flows: [][][]float64{make([][]float64, 1)}},
	} {
		if _, err := wrong.Choices(d, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSteps: additional runs are counted separately, and leave the number of planned steps as it is.
func TestSteps(t *testing.T) {
	var got [][3]int
	at := steps{done: -1, all: 2, report: func(done, all, more int, _ time.Duration) {
		got = append(got, [3]int{done, all, more})
	}}
	at.next()
	at.next()
	at.additional()
	at.additional()
	if want := [][3]int{{0, 2, 0}, {1, 2, 0}, {1, 2, 1}, {1, 2, 2}}; !slices.Equal(got, want) {
		t.Errorf("reported %v, want %v", got, want)
	}
}

// TestRunsAsPredicted: edges without a size in the X files run with the recommended size, as in the map files of a
// search; if no run has memory for these sizes, with the default one; in virtual time with a short one.
func TestRunsAsPredicted(t *testing.T) {
	d := threeKernels(t)
	c := &Choice{Name: "best 1", Mapping: d.Mapping, Buffers: map[int]int{0: 7}}
	at := &Case{design: d, Mapping: d.Mapping, Sizes: []result.ValidatedSize{{Recommended: 5}, {Recommended: 41.5}}}
	if got := c.placed(at, time.Second).Buffers; !maps.Equal(got, map[int]int{0: 7, 1: 42}) {
		t.Errorf("sizes %v, want 7, which is given, and 42", got)
	}
	at.Sizes[1].Recommended = 1e12
	if got := c.placed(at, time.Second).Buffers; !maps.Equal(got, c.Buffers) {
		t.Errorf("sizes %v without memory, want %v", got, c.Buffers)
	}
	at.Virtual, at.solution = true, &flow.Solution{EdgeFlow: make([]float64, 2)}
	if got := c.placed(at, time.Millisecond).Buffers; got[0] != 7 || got[1] >= 42 {
		t.Errorf("sizes %v in virtual time", got)
	}
}
