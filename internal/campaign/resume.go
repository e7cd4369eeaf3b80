package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Resume prepares a campaign to go on: it is not cancelled any more, points that failed or were set
// aside are tried again, and files of results that are damaged are taken away, so that their points
// are computed again; folders that are missing are made. It returns what was damaged.
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

// leftovers are the unfinished files of workers that are dead.
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
	return left, nil
}
