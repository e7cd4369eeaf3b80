package profile

import (
	"bytes"
	"encoding/json"
)

// UnmarshalJSON reads a kernel of this version or an earlier one, which had other names for two costs.
func (k *Kernel) UnmarshalJSON(data []byte) error {
	type plain Kernel // has no methods, so that decoding it does not come back here
	var old struct {
		*plain
		CoLocation *Figure `json:"companyCost"`
		Receive    *Figure `json:"takeCost"`
	}
	old.plain = (*plain)(k)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&old); err != nil {
		return err
	}
	if k.CoLocationCost == nil {
		k.CoLocationCost = old.CoLocation
	}
	if k.ReceiveCost == nil {
		k.ReceiveCost = old.Receive
	}
	return nil
}
