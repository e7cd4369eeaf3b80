package program

import (
	"errors"
	"testing"
)

// TestAddOnce checks that kernels of one block report the same error once, and other errors each.
func TestAddOnce(t *testing.T) {
	var errs []error
	for _, text := range []string{"block A has no source", "block B has no source", "block A has no source"} {
		errs = addOnce(errs, errors.New(text))
	}
	if len(errs) != 2 || errs[0].Error() == errs[1].Error() {
		t.Errorf("got %v", errs)
	}
}
