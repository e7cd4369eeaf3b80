package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// chargedTo precedes the number of the dead worker's claim in the file name of a failure.
const chargedTo = ".claim-"

// Resume prepares a campaign to continue, and returns the damaged results files. It clears a cancellation and allows
// new attempts at failed and given-up points. It removes damaged files so that workers compute their points again, and
// recreates missing folders.
func (f *Folder) Resume() (damaged []error, err error) {
	if err := f.CheckInputs(); err != nil {
		return nil, err
	}
	for _, name := range folders() {
		if err := os.MkdirAll(f.path(name), 0o755); err != nil {
			return nil, fmt.Errorf("resuming the campaign: %w", err)
		}
	}
	names, err := f.names(resultsFolder)
	if err != nil {
		return nil, fmt.Errorf("resuming the campaign: %w", err)
	}
	remove, err := f.leftovers()
	if err != nil {
		return nil, fmt.Errorf("resuming the campaign: %w", err)
	}
	if f.Cancelled() {
		remove = append(remove, f.path(cancelledFile))
	}
	for _, name := range names {
		var d *DamagedError
		if _, _, err := f.readAnswers(name); errors.As(err, &d) {
			damaged = append(damaged, d)
			remove = append(remove, d.Path)
		}
	}
	if names, err = f.names(failedFolder); err != nil {
		return nil, fmt.Errorf("resuming the campaign: %w", err)
	}
	for _, name := range names {
		remove = append(remove, f.path(failedFolder, name))
		// Remove the record, so that the dead worker is not charged twice for the same point.
		if _, by, is := strings.Cut(name, chargedTo); is {
			if n, e := strconv.Atoi(strings.TrimSuffix(by, ".json")); e == nil {
				remove = append(remove, f.path(claimName(n, atEnding)))
			}
		}
	}
	for _, path := range remove {
		if e := os.Remove(path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("resuming the campaign: %w", err)
	}
	return damaged, nil
}

// leftovers returns the files of dead workers: unfinished files, and records of the points in progress.
func (f *Folder) leftovers() ([]string, error) {
	w := NewWatch(f, f.Engine.Stale)
	if err := w.Look(); err != nil {
		return nil, err
	}
	names, err := f.names(unfinishedFolder)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, name := range names {
		for id, h := range w.workers {
			if strings.HasPrefix(name, id+"-") && (h.beat.Ended || h.beat.By.gone(&w.here)) {
				left = append(left, f.path(unfinishedFolder, name))
			}
		}
	}
	// Remove the records of the points that dead workers started, so that these points have no failed attempts.
	for _, c := range w.claims {
		if c.ended == nil && c.at >= 0 && !w.alive(c) {
			left = append(left, f.path(claimName(c.Number, atEnding)))
		}
	}
	return left, nil
}
