package rtl

import (
	"strings"
	"testing"
)

// TestWordsOfAnElement checks that an element is a whole number of words, and otherwise rejected.
func TestWordsOfAnElement(t *testing.T) {
	m := &Module{Top: "f", Streams: []Stream{{"y", false, 48}, {"x", true, 32}}}
	for _, c := range []struct {
		port           string
		input          bool
		element, words int
		want           string
	}{
		{"y", false, 1026, 171, ""},
		{"x", true, 1024, 256, ""},
		{"y", false, 1024, 0, "an element of port y has 1024 bytes, which is not a whole number of 48-bit words"},
		{"x", true, 2, 0, "not a whole number of 32-bit words"},
		{"z", true, 4, 0, "z"},
	} {
		_, words, err := m.Words(c.port, c.input, c.element)
		if words != c.words || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("port %s of %d bytes: %d words, %v; want %d, %q", c.port, c.element, words, err, c.words, c.want)
		}
	}
}
