package micro

import (
	"testing"

	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// TestAreaOfGap checks that the tap of gaps, synthesized separately for each family, has at least the registers of its
// eight words.
func TestAreaOfGap(t *testing.T) {
	testkit.Long(t, "it synthesizes a module for two families")
	testkit.Tools(t, "yosys")
	library, err := hdl.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := TapCost{Module: "gap_alone"}
	if err := c.measure(t.Context(), rtl.UserCache(t.Context()), t.TempDir(), library); err != nil {
		t.Fatal(err)
	}
	for _, family := range tapFamilies() {
		if a := c.Area[family]; a.FF < 8*32 || a.FF > 4000 || a.LUT < 100 || a.LUT > 4000 {
			t.Errorf("%s: %+v", family, a)
		}
	}
	if c.Clock != nil || c.Cycles != 0 {
		t.Errorf("%+v has more than an area", c)
	}
}
