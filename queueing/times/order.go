package times

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sort"
)

// MaxOrdered is the maximum number of samples whose order a distribution stores. It limits the size of a profile.
const MaxOrdered = 8192

// Order contains the bin of each sample, in order. In JSON, it is base64 text of two bytes per sample, low byte first.
type Order []uint16

func (o Order) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 2*len(o))
	for _, i := range o {
		raw = binary.LittleEndian.AppendUint16(raw, i)
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(raw))
}

func (o *Order) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("the order of samples is not text: %w", err)
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return fmt.Errorf("the order of samples is not base64: %w", err)
	}
	if len(raw)%2 != 0 || len(raw) > 2*MaxOrdered {
		return fmt.Errorf("the order of samples has %d bytes, expected an even number of at most %d", len(raw),
			2*MaxOrdered)
	}
	*o = nil
	for i := 0; i < len(raw); i += 2 {
		*o = append(*o, binary.LittleEndian.Uint16(raw[i:]))
	}
	return nil
}

// ordered returns the order of the samples of runs, or nil if there are too many bins for 16 bits.
func ordered(bins []Bin, runs [][]float64) (o Order) {
	if len(bins) > math.MaxUint16 {
		return nil
	}
	for _, run := range runs {
		for _, x := range run {
			if len(o) == MaxOrdered {
				return o
			}
			x = max(x, 0)
			o = append(o, uint16(sort.Search(len(bins)-1, func(i int) bool { return x <= bins[i].To })))
		}
	}
	return o
}
