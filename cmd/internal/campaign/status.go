package campaign

import (
	"fmt"
	"io"
	"strings"

	"xopt/cmd/internal/progress"
	"xopt/internal/units"
)

// WriteStatus prints the progress of a campaign.
func (f *Folder) WriteStatus(w io.Writer, s *State) {
	what := f.Kind
	if len(f.Files) > 0 {
		what += " of " + strings.Join(f.Files, " ")
	}
	part := float64(s.Done) / float64(s.All)
	fmt.Fprintf(w, "%s: %3.0f%% %s %d of %d points\n", what, 100*part, progress.Bar(part), s.Done, s.All)
	type row struct {
		what string
		n    int
	}
	rows := []row{{"done", s.Done}, {"failed", s.Failed}, {"set aside", s.Aside}, {"in hand of workers", s.Running},
		{"waiting", s.Waiting}}
	for _, r := range rows {
		fmt.Fprintf(w, "%-19s %*d\n", r.what, len(fmt.Sprint(s.All)), r.n)
	}
	if s.Done > 0 {
		fmt.Fprintf(w, "%-19s %s a point in the mean, measured\n", "time", units.Time(s.Seconds/float64(s.Done)))
	}
	if s.Left > 0 {
		fmt.Fprintf(w, "%-19s about %s\n", "left", progress.RoundTime(s.Left))
	}
	for _, b := range s.Workers {
		fmt.Fprintf(w, "%-19s %d of %d cores used, %s at once\n", "worker on "+b.At(), b.Used, b.Given,
			units.Counted(b.Slots, "point", "points"))
	}
	for i := range s.Lost {
		if i == mostLost {
			fmt.Fprintf(w, "and %s more were lost\n", units.Counted(len(s.Lost)-i, "worker", "workers"))
			break
		}
		b := &s.Lost[i]
		fmt.Fprintf(w, "%-19s lost: process %d on %s%s ended without a last word\n", "worker on "+b.At(),
			b.By.PID, b.By.Host, ofJob(b.Job))
	}
}

// mostLost is the number of lost workers that are shown.
const mostLost = 5

// ofJob returns the words for the job of a worker; "" for none.
func ofJob(job string) string {
	if job == "" {
		return ""
	}
	return ", job " + job + " of Slurm,"
}
