package testkit

import "testing"

// Long leaves a test to the full ring (make test-all): why says what takes it long. The short ring (make test) holds
// another test of the same, which is quick.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("only in the full ring: %s", why)
	}
}
