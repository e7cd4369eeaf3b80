package flow

import (
	"fmt"
	"slices"
	"strings"
)

// SharingRule is the rule by which kernels share a core or FPGA, or edges share a link.
type SharingRule uint8

// These are the sharing rules.
const (
	// Conserving is work-conserving: the sum over sharers of λ/μ is at most φ, so that a sharer may use capacity that
	// other sharers leave free. It permits exactly the flows of max-min fair sharing, by which unrelated processes
	// share a core. If the total demand of an application's kernels fits the core, the core satisfies each demand.
	Conserving SharingRule = iota
	// Equal assigns μ/n to each of n sharers, whether or not the sharer can use it (Beard 2013, Eq. 9 for cores, Eq. 11
	// for buses).
	Equal
	// AreaOnly assigns the full μ to each kernel, if all kernels together fit the area (Beard 2013, Eq. 10).
	AreaOnly
	// Bulk is Conserving for a link on which each transfer of TransferBytes takes a fixed time in addition to
	// bytes/bandwidth.
	Bulk
)

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

// ResourceSharingRules returns the rules for kernels of a resource.
func ResourceSharingRules() []SharingRule { return []SharingRule{Conserving, Equal, AreaOnly} }

// LinkSharingRules returns the rules for edges of a link.
func LinkSharingRules() []SharingRule { return []SharingRule{Conserving, Equal, Bulk} }

// CommonSharingRules returns the rules that apply to both cores and links.
func CommonSharingRules() []SharingRule { return []SharingRule{Conserving, Equal} }

// ParseSharingRule returns the rule with the given name, if it is one of the allowed rules. Without a list of allowed
// rules, all rules are allowed.
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
	// SwitchCost is the additional time in seconds of each firing on a core with two or more kernels. It does not apply
	// to kernels with a known [Figures.SwitchCost].
	SwitchCost     float64
	SwitchInterval Interval // of SwitchCost
	// TransferCost is the fixed time in seconds of one transfer on a link.
	TransferCost     float64
	TransferInterval Interval // of TransferCost
	// TransferBytes is the maximum size in bytes of one transfer on a link. A transfer carries complete elements; see
	// [Link.TransferCost]. The transfer starts when it is full, after [Link.Flush], or at the end of the stream. 0
	// means that each element is a separate transfer.
	TransferBytes float64
	// TestError is the largest relative error of the rule in the test of a profile; 0 if there was no test.
	TestError float64
	Origin    Origin
	Note      string
}
