package report

import (
	"slices"
	"testing"

	"xopt/flow"
	"xopt/mapper/result"
)

// TestLoadOfLink checks that the load of a link is transfer, not compute.
func TestLoadOfLink(t *testing.T) {
	compute, transfers := flow.Compute.String(), flow.Transfers.String()
	columns, rows := Load(&result.Candidate{
		Stations: []result.Station{{Name: "top.a", On: "p", Parts: []result.LoadPart{{Part: compute, Value: 0.5}}},
			{Name: "top.e", On: "m", IsLink: true, Parts: []result.LoadPart{{Part: compute, Value: 0.25},
				{Part: transfers, Value: 0.125}}}},
		Resources: []result.Share{{Name: "p"}}, Links: []result.Share{{Name: "m"}}})
	if !slices.Equal(columns, []string{"compute", "transfer", "overhead"}) || len(rows) != 2 ||
		!slices.Equal(rows[0].Parts, []result.Number{0.5, 0, 0}) ||
		!slices.Equal(rows[1].Parts, []result.Number{0, 0.25, 0.125}) || rows[1].Total != 0.375 {
		t.Errorf("columns %q, rows %+v", columns, rows)
	}
}
