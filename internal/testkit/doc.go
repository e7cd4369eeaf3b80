// Package testkit holds what tests of several packages have in common. Nothing but tests imports it.
package testkit
