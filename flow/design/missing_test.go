package design

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// TestMissingLinkHint: for a link without a bandwidth the hint is a longer budget into the profile in use, or its
// bandwidth, and not a figure of kernels.
func TestMissingLinkHint(t *testing.T) {
	p := FromProfile("p.profile.json", &profile.Profile{}, nil)
	_, err := lower(t, Options{Profile: p}, figured+`resource shared is memory ({proc});`)
	text := fmt.Sprintf("%+v", err)
	if !strings.Contains(text, "xopt calibrate APP ARCH -o p.profile.json --budget 1m30s") ||
		!strings.Contains(text, "bandwidth=") || strings.Contains(text, "impl BLOCK") {
		t.Errorf("%s", text)
	}
	lacking := strings.Replace(figured, "gain=0.5, ", "", 1)
	_, err = lower(t, Options{Profile: p}, lacking+`resource shared is memory ({proc});`)
	if text := fmt.Sprintf("%+v", err); !strings.Contains(text, "impl BLOCK") {
		t.Errorf("kernels lack figures, too: %s", text)
	}
	var list xlang.Diagnostics
	if !errors.As(err, &list) || len(list) < 2 || !strings.Contains(list[0].Hint, "xopt calibrate") {
		t.Errorf("the first error has no remedy: %v", err)
	}
}
