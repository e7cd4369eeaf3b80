package board

import (
	"math/big"
	"slices"
	"testing"

	"xopt/hdl/rtl"
	"xopt/mapper/result"
)

// record makes the words of a record as the hardware does, by arithmetic on one large number.
func record(t *Trace, missing, counts bool, cycles, value uint64) (words []uint32) {
	x := new(big.Int)
	for _, bit := range []bool{missing, counts} {
		x.Lsh(x, 1)
		if bit {
			x.Add(x, big.NewInt(1))
		}
	}
	x.Add(x.Lsh(x, uint(t.TimeBits)), new(big.Int).SetUint64(cycles))
	x.Add(x.Lsh(x, uint(t.Width)), new(big.Int).SetUint64(value))
	mask := big.NewInt(1<<32 - 1)
	for range t.words() {
		words = append(words, uint32(new(big.Int).And(x, mask).Uint64()))
		x.Rsh(x, 32)
	}
	return words
}

// TestTraceEntries: records of all widths become changes; records that only continue the time become none.
func TestTraceEntries(t *testing.T) {
	for width := 1; width <= 64; width++ {
		hardware := rtl.Trace{Probe: rtl.Probe{Width: width}}
		x := &Trace{Width: width, TimeBits: hardware.TimeBits()}
		if x.words() != hardware.Words() || x.TimeBits < 14 || hardware.RecordBits() > 32*x.words() {
			t.Fatalf("records of values of %d bits have %d words, the hardware's %d, times of %d bits", width,
				x.words(), hardware.Words(), x.TimeBits)
		}
		maximum, idle := ^uint64(0)>>(64-width), uint64(1)<<x.TimeBits-1
		words := slices.Concat(record(x, false, false, 0, maximum), record(x, false, true, 5, 0),
			record(x, false, true, 7, maximum), record(x, false, true, idle, maximum), record(x, false, true, 1, 0),
			record(x, false, false, 9, 1), record(x, false, false, idle, 0), record(x, false, true, 2, maximum))
		for _, signed := range []bool{false, true} {
			x.Signed = signed
			top := float64(maximum)
			if signed {
				top = -1
			}
			want := []result.Logged{{Index: 5}, {Index: 12, Value: float64(top)}, {Index: 13 + idle},
				{Index: 22 + idle, Stops: true}, {Index: 24 + 2*idle, Value: float64(top)}}
			for i := range want {
				want[i].Time = float64(float64(want[i].Index) / 1e6)
			}
			got, missing := x.entries(words, 1e6)
			if !slices.Equal(got, want) || missing {
				t.Errorf("of %d bits, signed %t: %+v, want %+v", width, signed, got, want)
			}
		}
		if _, missing := x.entries(record(x, true, true, 1, 1), 1); !missing {
			t.Errorf("of %d bits: that changes are missing is not seen", width)
		}
	}
}
