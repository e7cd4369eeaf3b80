package program

import (
	"strings"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// load reads an application with a map given as text.
func load(t *testing.T, dir, files, mapping string) *design.Design {
	t.Helper()
	return flowtest.X{Dir: dir, Files: strings.Fields(files), More: mapping}.Design(t,
		design.Options{Purpose: design.ForCheck})
}
