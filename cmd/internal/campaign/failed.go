package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/internal/files/infile"
)

// Failure is a failed attempt to compute a point.
type Failure struct {
	Point  int    `json:"point"`
	Label  string `json:"label"`
	Host   string `json:"host"`
	How    string `json:"how"`    // for example, "signal: killed"
	Output string `json:"output"` // end of the output
	// Wrong is true if the point reported an error, and false if it crashed its process.
	Wrong bool `json:"wrong"`
}

// MaxTries is the number of crashes after which a worker gives up a point.
const MaxTries = 3

// fail records a failure. by is part of the file name, so that a failure recorded twice counts once.
func (f *Folder) fail(x *Failure, by string) error {
	x.Label = f.Points[x.Point].Label
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return fmt.Errorf("recording a failure: %w", err)
	}
	return f.put(filepath.Join(failedFolder, fmt.Sprintf("%06d.%s.json", x.Point, by)), append(text, '\n'))
}

// readFailure reads a failure. The file name starts with the number of the point.
func (f *Folder) readFailure(name string) (*Failure, error) {
	first, _, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 || n >= len(f.Points) {
		return nil, fmt.Errorf("%s does not belong to this campaign: remove the file", f.path(failedFolder, name))
	}
	x, err := readJSON[Failure](f, failedFolder, name)
	if x == nil {
		return nil, err
	}
	if err != nil {
		x.How = fmt.Sprintf("%s is damaged: %v", f.path(failedFolder, name), err)
	}
	x.Point, x.Label = n, f.Points[n].Label
	return x, nil
}

// refusedFile contains the scheduler's last refusal to start workers. It is in the folder of worker output.
const refusedFile = "refused"

// NoteRefused records the scheduler's refusal to start workers; "" clears the record.
func (f *Folder) NoteRefused(why string) error {
	name := filepath.Join(logsFolder, refusedFile)
	if why != "" {
		return f.put(name, []byte(why+"\n"))
	}
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recording the start of workers: %w", err)
	}
	return nil
}

// Refused returns the scheduler's last refusal to start workers; "" for none.
func (f *Folder) Refused() string {
	text, err := infile.Read(f.path(logsFolder, refusedFile), maxFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// RemoveNew removes the folder of a new campaign if Slurm refused to start it. It returns the reason.
func (f *Folder) RemoveNew(why error) error {
	if f.Engine.Name != Slurm {
		return why
	}
	gone, err := f.Remove()
	switch {
	case err != nil:
		return errors.Join(why, err)
	case !gone: // other workers use the folder
		return why
	}
	return fmt.Errorf("%w\nThe campaign folder was removed: fix the error and submit again", why)
}

// Remove removes the folder of a campaign that no worker has used, and reports whether it removed the folder. If the
// folder contains other files, it keeps the folder and these files.
func (f *Folder) Remove() (bool, error) {
	for _, folder := range []string{claimsFolder, workersFolder, resultsFolder, failedFolder, logsFolder} {
		names, err := f.names(folder)
		if err != nil {
			return false, err
		}
		for _, n := range names {
			if folder != logsFolder || n != refusedFile {
				return false, nil
			}
		}
	}
	err := os.Remove(f.path(campaignFile)) // without this file, the folder contains no campaign
	for _, folder := range folders() {
		err = errors.Join(err, os.RemoveAll(f.path(folder)))
	}
	if err != nil {
		return false, fmt.Errorf("removing the folder of the campaign: %w", err)
	}
	_ = os.Remove(f.Dir) // the folder may belong to the user and contain other files
	return true, nil
}
