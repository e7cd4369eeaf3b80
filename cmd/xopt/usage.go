package main

import (
	"strings"

	"xopt/internal/fault"
)

// usageError is a wrong way to call the program.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// wrongUse is a usageError with a text.
func wrongUse(id fault.ID, format string, args ...any) error {
	return fault.Usage(id.Errorf(format, args...))
}

// isCobraUsage recognizes cobra's own errors about commands, which have no type.
func isCobraUsage(err error) bool {
	return strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")
}
