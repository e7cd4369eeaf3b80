package program

import (
	"maps"
	"slices"
)

// sortedKeys returns the keys of a map in order, so that generated files are the
// same each time.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
