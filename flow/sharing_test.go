package flow

import "testing"

func TestParseSharingRule(t *testing.T) {
	for _, r := range SharingRules() {
		if got, err := ParseSharingRule(r.String()); err != nil || got != r {
			t.Errorf("%s is read as %s: %v", r, got, err)
		}
	}
	for _, c := range []struct {
		allowed []SharingRule
		want    string
	}{
		{nil, `"fair"; want conserving, equal, area or bulk`},
		{ResourceSharingRules(), `"fair"; want conserving, equal or area`},
		{LinkSharingRules(), `"fair"; want conserving, equal or bulk`},
		{CommonSharingRules(), `"fair"; want conserving or equal`},
		{[]SharingRule{Equal}, `"fair"; want equal`},
	} {
		if _, err := ParseSharingRule("fair", c.allowed...); err == nil || err.Error() != c.want {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
	if _, err := ParseSharingRule("area", LinkSharingRules()...); err == nil {
		t.Error("a link may share by area")
	}
}
