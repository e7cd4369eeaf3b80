package mapper

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that may be +Inf. In JSON, +Inf is "unlimited".
type Number float64

// MarshalJSON formats a number, or "unlimited" for +Inf. NaN and -Inf are errors.
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := float64(n); {
	case math.IsInf(v, 1):
		return []byte(`"unlimited"`), nil
	case math.IsNaN(v) || math.IsInf(v, -1):
		return nil, fmt.Errorf("the result contains %g, which is not finite", v)
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == `"unlimited"` {
		*n = Number(math.Inf(1))
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64) // the decoder has checked that it is a number or null
	if err != nil {
		err = json.Unmarshal(b, &v)
	}
	*n = Number(v)
	return err
}
