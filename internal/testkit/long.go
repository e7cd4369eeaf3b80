package testkit

import "testing"

// Long skips a test unless all tests run (make test-all). why is the reason for its duration. The short run (make test)
// includes a quick test of the same feature.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("only in the full ring: %s", why)
	}
}
