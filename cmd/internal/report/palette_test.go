package report

import "testing"

// TestStyles checks that no two series have the same colour, dashes and symbol, and that a mapping has one colour on
// the complete page.
func TestStyles(t *testing.T) {
	seen := make(map[string]bool)
	for i := range 28 {
		s := StyleOf(i)
		key := s.Color + s.Symbol
		if seen[key] {
			t.Errorf("style %d: %v was there before", i, s)
		}
		seen[key] = true
	}
	a := (&Chart{Series: []Series{{Mapping: 1}, {Mapping: 3}, {Kind: Markers}}}).Styles()
	b := (&Chart{Series: []Series{{Kind: Markers}, {Mapping: 3}}}).Styles()
	if a[1].Color != b[1].Color || a[1].Color != MappingColor(3) {
		t.Errorf("mapping 3 is %s, %s and %s", a[1].Color, b[1].Color, MappingColor(3))
	}
}

// TestRange checks that values that differ by rounding are shown in a band, and that others choose their range.
func TestRange(t *testing.T) {
	var a Axis
	low, high, ok := a.Range([]float64{159.1122, 159.114})
	if !ok || high-low < 15 || low > 159 || high < 160 {
		t.Errorf("from %g to %g, %v", low, high, ok)
	}
	if _, _, ok := a.Range([]float64{1, 2}); ok {
		t.Error("1 and 2 are nearly equal")
	}
	if !a.IsInteger([]float64{1, 2}) || a.IsInteger([]float64{1, 2.5}) {
		t.Error("whole numbers are not told from others")
	}
}

// TestTiny checks that a value without digits in the column's prefix is shown in its own.
func TestTiny(t *testing.T) {
	table := Table{Columns: []Column{rate("flow")}}
	table.add(figure(5e6))
	table.add(figure(6e6))
	table.add(figure(57.43))
	table.scaled()
	if c := &table.Rows[2].Cells[0]; c.String() != "57.4 B/s" {
		t.Errorf("got %q", c.String())
	}
}
