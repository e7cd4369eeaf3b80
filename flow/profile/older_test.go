package profile

import (
	"bytes"
	"strings"
	"testing"
)

// older is a profile as the first versions wrote it.
const older = `{
  "schema": 1,
  "machine": {"cpu": "test", "cores": 2, "kernel": "6.1"},
  "kernels": [
    {"block": "SUM", "platform": "C",
     "serviceRate": {"value": 4e7, "n": 3, "ci95": [4e7, 4e7]},
     "companyCost": {"value": 2e-9, "n": 3, "ci95": [1e-9, 3e-9]},
     "takeCost": {"value": 5e-10, "n": 3, "ci95": [4e-10, 6e-10]},
     "sendCost": {"value": 7e-10, "n": 3, "ci95": [6e-10, 8e-10]}}
  ]
}`

// TestReadsOlder: profiles of earlier versions are read completely, and written with the names of this one.
func TestReadsOlder(t *testing.T) {
	p, err := Read("old.json", strings.NewReader(older))
	if err != nil {
		t.Fatal(err)
	}
	k := &p.Kernels[0]
	if k.CoLocationCost == nil || k.CoLocationCost.Value != 2e-9 || k.ReceiveCost == nil ||
		k.ReceiveCost.Value != 5e-10 || k.SendCost == nil || k.SendCost.Value != 7e-10 {
		t.Errorf("%+v", k)
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"coLocationCost", "receiveCost", "sendCost"} {
		if !strings.Contains(b.String(), `"`+name+`"`) {
			t.Errorf("no %s in %s", name, &b)
		}
	}
	if _, err := Read("new.json", &b); err != nil {
		t.Error(err)
	}
	if _, err := Read("odd.json", strings.NewReader(strings.Replace(older, "takeCost", "tookCost", 1))); err == nil ||
		!strings.Contains(err.Error(), "tookCost") {
		t.Errorf("an unknown name: %v", err)
	}
}
