package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLeft checks the line of a command with an estimate of the remaining time, in a log and on a terminal.
func TestLeft(t *testing.T) {
	var log bytes.Buffer
	w := &Work{w: &log, start: time.Now().Add(-20 * time.Second), width: 80}
	w.At("measuring top.f, step 3")
	w.Left(20 * time.Second)
	w.show(20 * time.Second)
	if want := "measuring top.f, step 3, 20 s elapsed, about 20s left\n"; log.String() != want {
		t.Errorf("%q, want %q", log.String(), want)
	}
	for width, want := range map[int]string{
		80: "measuring top.f, step 3  50% |██████████          | 20 s, about 20s left",
		60: "measuring top.f, step 3  50% 20 s, about 20s left",
		45: "measuring top.f  50% 20 s, about 20s left"} {
		w.width, w.left = width, countdown{}
		if got := w.line(20 * time.Second); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLeftGoesDown checks that a printed remaining time never exceeds an earlier one, in estimates and in steps, and
// that steps that are added leave it out.
func TestLeftGoesDown(t *testing.T) {
	var log bytes.Buffer
	e := &Work{w: &log, start: time.Now()}
	for i, left := range []int{30, 23, 45, 34, 18} {
		e.Left(time.Duration(20*(i+1)+left) * time.Second)
		e.show(time.Duration(20*(i+1)) * time.Second)
	}
	if got := printedTimes(log.String()); !slices.Equal(got, []string{"30s", "23s", "18s"}) {
		t.Errorf("estimates print %q", got)
	}
	log.Reset()
	w := &Work{w: &log, what: "running"}
	for i, elapsed := range []int{20, 40, 200, 215} { // the third step takes longer
		w.Step(i+1, 5)
		w.show(time.Duration(elapsed) * time.Second)
	}
	if got := printedTimes(log.String()); !slices.Equal(got, []string{"2m00s", "1m10s"}) {
		t.Errorf("steps print %q", got)
	}
	log.Reset()
	w.Step(5, 6)
	if w.show(300 * time.Second); len(printedTimes(log.String())) > 0 {
		t.Errorf("added steps print %q", log.String())
	}
	log.Reset()
	w = &Work{w: &log, what: "running"}
	w.Step(1, 6)
	w.Unplanned("running again")
	w.Step(2, 6)
	if w.show(20 * time.Second); len(printedTimes(log.String())) > 0 ||
		!strings.Contains(log.String(), "again 3 of 6") {
		t.Errorf("an unplanned step prints %q", log.String())
	}
}

// TestStepLeft checks that the estimate of the caller replaces that from the number of steps, and may increase.
func TestStepLeft(t *testing.T) {
	var log bytes.Buffer
	w := &Work{w: &log, what: "running", start: time.Now().Add(-20 * time.Second)}
	for i, left := range []time.Duration{0, 20 * time.Second, 80 * time.Second} {
		w.StepLeft(i+1, 5, left)
		w.reported = 0
		w.show(20 * time.Second)
	}
	if got := printedTimes(log.String()); !slices.Equal(got, []string{"20s", "1m20s"}) {
		t.Errorf("steps print %q", got)
	}
}

// printedTimes returns the remaining times in lines of progress.
func printedTimes(log string) (list []string) {
	for line := range strings.Lines(log) {
		if words := strings.Fields(line); words[len(words)-1] == "left" {
			list = append(list, words[len(words)-2])
		}
	}
	return list
}

func TestRoundTime(t *testing.T) {
	for d, want := range map[time.Duration]string{50 * time.Millisecond: "1s", 12400 * time.Millisecond: "12s",
		143 * time.Second: "2m20s", 119 * time.Second: "2m00s", 2*time.Hour + 9*time.Minute: "2h09m"} {
		if got := RoundTime(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
