package progress

import (
	"bytes"
	"testing"
	"time"
)

// TestStages checks the periodic lines of a long command in a log, with the remaining time.
func TestStages(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(1000, 0)
	s := &Stages{w: &log, now: func() time.Time { return now }, begin: now, told: now, lineEvery: 10 * time.Second}
	for i := range 25 {
		s.Update("measuring top.f", time.Duration(30-i)*time.Second)
		now = now.Add(time.Second)
	}
	now = now.Add(4 * time.Minute)
	s.Update("measuring memory", 0)
	s.Close(false)
	want := "10s so far: measuring top.f, at most about 20s left\n20s so far: measuring top.f, at most about 10s " +
		"left\n4m30s so far: measuring memory\n"
	if log.String() != want {
		t.Errorf("got:\n%swant:\n%s", log.String(), want)
	}
}

func TestRoundTime(t *testing.T) {
	for d, want := range map[time.Duration]string{50 * time.Millisecond: "1s", 12400 * time.Millisecond: "12s",
		143 * time.Second: "2m20s", 119 * time.Second: "2m00s", 2*time.Hour + 9*time.Minute: "2h09m"} {
		if got := RoundTime(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
