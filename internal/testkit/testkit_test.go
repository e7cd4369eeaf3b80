package testkit_test

import (
	"os"
	"path/filepath"
	"testing"

	"xopt/internal/testkit"
)

// TestApp checks that an application is also found from another folder.
func TestApp(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := os.Stat(filepath.Join(testkit.App(t, "jpeg"), "app.x")); err != nil {
		t.Error(err)
	}
}
