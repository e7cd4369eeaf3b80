// Package text writes what package view shows for a terminal: sentences folded to its width, and
// tables whose decimal points stand below each other. It knows nothing of results: every word and
// figure is in the [view.Part] that it is given.
//
// It stands last in the data's way, beside packages page and markdown, which render the same tables.
package text
