package trace

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// atOnce returns its last events together with io.EOF, as an io.Reader may.
type atOnce struct{ left []Event }

func (r *atOnce) Read(events []Event) (int, error) {
	n := copy(events, r.left)
	if r.left = r.left[n:]; len(r.left) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func (r *atOnce) Close() error { return nil }

// endsAtOnce is a table whose readers are so.
type endsAtOnce struct{ Table }

func (t endsAtOnce) Open(streams ...Stream) (Reader, error) {
	var list []Reader
	for _, s := range streams {
		r, err := t.Table.Open(s)
		if err != nil {
			return nil, err
		}
		events, err := ReadAll(r)
		if err != nil {
			return nil, err
		}
		list = append(list, &atOnce{events})
	}
	return merge(list), nil
}

// TestSummary: means, counts and times equal those of the elements, computed by hand. Elements that a reader returns
// together with the end are included.
func TestSummary(t *testing.T) {
	const us = 1_000_000
	port := func(kernel, name string) Port { return Port{Kernel: kernel, Name: name} }
	h := &Header{Series: []Series{{Name: "e", From: port("a", "y"), To: port("b", "x")},
		{Name: "b.p", Point: port("b", "p")}, {Name: "idle", From: port("b", "y"), To: port("c", "x")}}}
	m := TableOf(t, h, []Event{
		{Time: 3 * us, Index: 0, Kind: Available}, {Time: 4 * us, Index: 0, Kind: In}, // an initial one
		{Time: 1 * us, Index: 1, Kind: Out}, {Time: 6 * us, Index: 1, Kind: Available},
		{Time: 6 * us, Index: 1, Kind: In},
		{Time: 2 * us, Index: 2, Kind: Out}, {Time: 9 * us, Index: 2, Kind: Available},
		{Time: 13 * us, Index: 2, Kind: In},
		{Time: 10 * us, Index: 3, Kind: Out}, {Time: 20 * us, Index: 3, Kind: Available}, // never taken
		{Time: 7 * us, Series: 1, Kind: Point, Index: 0}, {Time: 8 * us, Series: 1, Kind: Point, Index: 1},
	})
	want := []Summary{
		{Series: 0, Events: [kinds]uint64{Available: 4, In: 3, Out: 3}, First: 1e-6, Last: 20e-6,
			Travel: 22e-6 / 3, Travels: 3, Wait: 5e-6 / 3, Waits: 3},
		{Series: 1, Events: [kinds]uint64{Point: 2}, First: 7e-6, Last: 8e-6},
		{Series: 2},
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-15 && b-a < 1e-15 })
	for _, table := range []Table{m, endsAtOnce{m}} {
		got, err := Summarize(t.Context(), table)
		if d := cmp.Diff(want, got, near); d != "" || err != nil {
			t.Errorf("%T: %s, %v", table, d, err)
		}
	}
}
