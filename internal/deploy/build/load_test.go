package build

import (
	"strings"
	"testing"

	"xopt/internal/design"
	"xopt/internal/testkit"
)

// load reads an application with a map given as text.
func load(t *testing.T, dir, files, mapping string) *design.Design {
	t.Helper()
	return testkit.X{Dir: dir, Files: strings.Fields(files), More: mapping}.Design(t,
		design.Options{Purpose: design.ForCheck})
}
