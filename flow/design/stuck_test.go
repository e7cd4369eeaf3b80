package design

import (
	"strings"
	"testing"
)

// splitApp returns a source whose elements go one by one over a short way and in sixteens over a long
// one, to a join, with buffers.
func splitApp(buffers string) string {
	return `
#include "std.x"
block S { output UNSIGNED8 y, z; emit y, z; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; join 16 x; emit 16 y; };
block J { input UNSIGNED8 a, b; join a, b; };
block top { S s; F f; J j; long: s.y -> f.x; out: f.y -> j.a; short: s.z -> j.b; };
use top;
resource p is C;
impl S on p (mu="1MB/s");
impl F on p (mu="40MB/s");
impl J on p (mu="40MB/s");
map { top.s, top.f, top.j } to p;
` + buffers
}

// TestStuck: sizes with which an iteration stops are refused with the cycle, for every purpose;
// sizes that do are not.
func TestStuck(t *testing.T) {
	for _, purpose := range []Purpose{ForSearch, ForMapping, ForCheck} {
		mustLower(t, Options{Purpose: purpose}, splitApp(""))
		mustLower(t, Options{Purpose: purpose}, splitApp("buffer top.short = 16;"))
		_, err := lower(t, Options{Purpose: purpose}, splitApp("buffer top.short = 15;"))
		want := "test.x:13:1: the application deadlocks with these buffers: top.s waits for space on top.short " +
			"(full, 15 of 15 elements), top.j waits for 1 element on top.out (empty), top.f waits for 16 elements on " +
			"top.long (contains 15)"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", purpose, err, want)
		}
	}
	// The least sizes together: one firing of each, and as many elements on the short path as on the long one.
	if _, err := lower(t, Options{},
		splitApp("buffer top.long = 16; buffer top.out = 16; buffer top.short = 16;")); err != nil {
		t.Error(err)
	}
	if _, err := lower(t, Options{},
		splitApp("buffer top.long = 16; buffer top.out = 15; buffer top.short = 32;")); err == nil ||
		!strings.Contains(err.Error(), "buffer of top.out has space for 15 elements, but the minimum is 16 "+
			"elements: one firing of top.f sends 16 elements on y") {
		t.Error(err)
	}
}

// TestInconsistent: contradictory counts are reported, with figures and without.
func TestInconsistent(t *testing.T) {
	source := strings.Replace(splitApp(""), "join 16 x; emit 16 y;", "join 16 x; emit 15 y;", 1)
	if _, err := lower(t, Options{}, source); err == nil || !strings.Contains(err.Error(), "top.j") {
		t.Error(err)
	}
	bare, _, _ := strings.Cut(source, "resource p")
	_, err := lower(t, Options{Purpose: ForCheck}, bare)
	if want := "channel top.short: top.s produces 1 element in each firing and top.j consumes 1 element, but the " +
		"other channels require firings of top.s and top.j in the ratio 16 : 15"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// TestLeastWithoutFigures: the needs of static counts are known without figures, so that a run has them from
// the start.
func TestLeastWithoutFigures(t *testing.T) {
	bare, _, _ := strings.Cut(splitApp(""), "resource p")
	d := mustLower(t, Options{Purpose: ForCheck}, bare)
	if minimum := d.MinSizes()[2]; minimum.Elements != 16 || !minimum.Shared ||
		!strings.Contains(minimum.Why,
			"another edge needs more space: top.s waits for space on top.short (full, 15 of 15 elements)") {
		t.Errorf("%+v", minimum)
	}
}
