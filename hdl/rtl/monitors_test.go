package rtl

import (
	"fmt"
	"strings"
	"testing"
)

// TestStateCodes evaluates the Verilog of a monitor's code bit by bit. Every value of a register must give the number
// of its state, and every other value the number of others.
func TestStateCodes(t *testing.T) {
	for _, c := range []struct {
		width  int
		states []uint64
		bits   int
	}{{1, []uint64{0, 1}, 1}, {2, []uint64{0, 1, 2, 3}, 2}, {2, []uint64{0, 1, 2}, 2}, {2, []uint64{1, 3}, 2},
		{3, []uint64{0, 1, 2, 4}, 3}, {4, []uint64{1, 2, 4, 8}, 3}, {4, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 4}} {
		m := &Machine{Path: "state", Width: c.width}
		for _, code := range c.states {
			m.States = append(m.States, State{Code: code})
		}
		if n, _ := stateBits(m); n != c.bits {
			t.Errorf("%v: codes of %d bits, want %d", c.states, n, c.bits)
		}
		text := stateCode("r", m)
		for value := range uint64(1) << c.width {
			code := 0
			for _, bit := range strings.Split(strings.Trim(text, "{}"), ", ") {
				code <<= 1
				for _, x := range strings.Split(strings.Trim(bit, "()"), " || ") {
					if x == fmt.Sprintf("r == %d'd%d", c.width, value) {
						code |= 1
					}
				}
			}
			want := len(c.states)
			for i, s := range c.states {
				if s == value {
					want = i
				}
			}
			if got := stateOf(m, code); got != want {
				t.Errorf("%v: value %d has code %d, which is state %d, want %d: %s", c.states, value, code, got, want,
					text)
			}
		}
	}
}
