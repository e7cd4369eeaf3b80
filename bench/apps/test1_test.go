package apps_test

import (
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
)

// TestTest1Mappings checks that every mapping gives the same bytes.
func TestTest1Mappings(t *testing.T) {
	t.Parallel()
	app := apptest.App{Dir: "test1", Elements: 700}
	want, _ := app.Deploy(t, oneCore, program.Options{})
	if len(want) != 700*4000 {
		t.Fatalf("%d bytes of output", len(want))
	}
	app.Agree(t, 4, want)
}
