package flow

import (
	"fmt"
	"slices"
	"strings"
)

// SharingRule names how the members of a resource (kernels of a core or FPGA,
// edges of a link) divide it among themselves.
type SharingRule uint8

// The sharing rules.
const (
	// Conserving is work-conserving: the sum over sharers of λ/μ is at most φ; one sharer may use capacity that another
	// does not. It admits exactly the flows of max-min sharing, under which unrelated processes fill a core like water.
	// As long as the demands of an application's kernels fit the core together, each is satisfied.
	Conserving SharingRule = iota
	// Equal assigns μ/n to each of n sharers, whether or not it can use it (Beard 2013, Eq. 9 for cores, Eq. 11 for
	// buses).
	Equal
	// AreaOnly assigns its full μ to each kernel as long as the area of all kernels placed there fits (Beard 2013, Eq.
	// 10).
	AreaOnly
	// Bulk is Conserving on a link where each transfer of TransferBytes costs a
	// fixed time on top of bytes/bandwidth.
	Bulk
)

// String returns the rule's name in the X language: "conserving", "equal",
// "area" or "bulk".
func (r SharingRule) String() string {
	switch r {
	case Conserving:
		return "conserving"
	case Equal:
		return "equal"
	case AreaOnly:
		return "area"
	case Bulk:
		return "bulk"
	}
	return "unknown"
}

// SharingRules returns all rules.
func SharingRules() []SharingRule { return []SharingRule{Conserving, Equal, AreaOnly, Bulk} }

// ResourceSharingRules returns the rules that the kernels of a resource may have.
func ResourceSharingRules() []SharingRule { return []SharingRule{Conserving, Equal, AreaOnly} }

// LinkSharingRules returns the rules that the edges of a link may have.
func LinkSharingRules() []SharingRule { return []SharingRule{Conserving, Equal, Bulk} }

// CommonSharingRules returns the rules that apply to both cores and links.
func CommonSharingRules() []SharingRule { return []SharingRule{Conserving, Equal} }

// ParseSharingRule returns the rule with a name, one of the permitted rules; if none are given, all are permitted.
func ParseSharingRule(name string, allowed ...SharingRule) (SharingRule, error) {
	if len(allowed) == 0 {
		allowed = SharingRules()
	}
	names := make([]string, len(allowed))
	for i, r := range allowed {
		names[i] = r.String()
	}
	if i := slices.Index(names, name); i >= 0 {
		return allowed[i], nil
	}
	last := len(names) - 1
	if last == 0 {
		return 0, fmt.Errorf("%q; expected %s", name, names[0])
	}
	return 0, fmt.Errorf("%q; expected %s or %s", name, strings.Join(names[:last], ", "), names[last])
}

// Sharing is a named sharing model with its parameters.
type Sharing struct {
	Rule SharingRule
	// SwitchCost is the additional time in seconds of each firing on a core with two kernels or more. It does not apply
	// to kernels with a known [Figures.SwitchCost].
	SwitchCost     float64
	SwitchInterval Interval // its
	// TransferCost is, on a link, the fixed time in seconds of one transfer.
	TransferCost     float64
	TransferInterval Interval // its
	// TransferBytes is the maximum size in bytes of one transfer on a link, which carries complete elements; see
	// [Link.TransferCost]. The transfer starts when it is full, after [Link.Flush], or at the end of the stream. 0
	// means that each element is a separate transfer.
	TransferBytes float64
	// TestError is the largest relative error of the rule in the test of a profile; 0 if nothing tested it.
	TestError float64
	Origin    Origin
	Note      string
}
