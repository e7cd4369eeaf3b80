package apps_test

import (
	"testing"

	"xopt/internal/deploy/build"
	"xopt/internal/testkit/apptest"
)

// TestTest1Mappings: every mapping gives the same bytes.
func TestTest1Mappings(t *testing.T) {
	app := apptest.App{Dir: "test1", Elements: 700}
	want, _ := app.Deploy(t, oneCore, build.Options{})
	if len(want) != 700*4000 {
		t.Fatalf("%d bytes of output", len(want))
	}
	app.Agree(t, 4, want)
}
