package units

import "testing"

// TestFirst checks that a shortened list never replaces a single name by its number.
func TestFirst(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for n, want := range map[int]int{2: 3, 3: 4, 4: 4} {
		if got := First(names, n, "%d more"); len(got) != want {
			t.Errorf("first %d: %q", n, got)
		}
	}
	if got := First(names, 2, "%d more"); got[2] != "2 more" {
		t.Errorf("%q", got)
	}
}
