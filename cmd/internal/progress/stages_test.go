package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStages checks the periodic lines of a long command in a log, with the remaining time.
func TestStages(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(1000, 0)
	s := &Stages{w: &log, now: func() time.Time { return now }, start: now, reported: now, lineEvery: 10 * time.Second}
	for i := range 25 {
		s.Update("measuring top.f", time.Duration(30-i)*time.Second)
		now = now.Add(time.Second)
	}
	now = now.Add(4 * time.Minute)
	s.Update("measuring memory", 0)
	s.Close(false)
	want := "10s elapsed: measuring top.f, about 20s left\n20s elapsed: measuring top.f, about 10s " +
		"left\n4m30s elapsed: measuring memory\n"
	if log.String() != want {
		t.Errorf("got:\n%swant:\n%s", log.String(), want)
	}
}

// TestLeftGoesDown checks that a printed remaining time never exceeds an earlier one, in stages and in steps, and that
// steps that are added leave it out.
func TestLeftGoesDown(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(1000, 0)
	s := &Stages{w: &log, now: func() time.Time { return now }, start: now, reported: now, lineEvery: time.Second}
	for _, left := range []int{30, 23, 45, 34, 18} {
		now = now.Add(10 * time.Second)
		s.Update("measuring", time.Duration(left)*time.Second)
	}
	if got := printedTimes(log.String()); !slices.Equal(got, []string{"30s", "23s", "18s"}) {
		t.Errorf("stages print %q", got)
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
