// Package testkit contains helpers for the tests of several packages. Only tests import it.
package testkit
