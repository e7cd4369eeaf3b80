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

// Failure is one failed try of a point.
type Failure struct {
	Point  int    `json:"point"`
	Label  string `json:"label"`
	Host   string `json:"host"`
	How    string `json:"how"`    // such as "signal: killed"
	Output string `json:"output"` // last part of the output
	// Wrong is set if the point reported an error; otherwise it crashed its process.
	Wrong bool `json:"wrong"`
}

// MaxTries is the number of crashes after which a point is given up.
const MaxTries = 3

// fail records a failure. by is part of its file name: the same failure recorded twice counts once.
func (f *Folder) fail(x *Failure, by string) error {
	x.Label = f.Points[x.Point].Label
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return fmt.Errorf("recording a failure: %w", err)
	}
	return f.put(filepath.Join(failedFolder, fmt.Sprintf("%06d.%s.json", x.Point, by)), append(text, '\n'))
}

// readFailure reads a failure. Its file name starts with the point.
func (f *Folder) readFailure(name string) (*Failure, error) {
	first, _, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 || n >= len(f.Points) {
		return nil, fmt.Errorf("%s does not belong to this campaign", f.path(failedFolder, name))
	}
	text, err := infile.Read(f.path(failedFolder, name), maxFile)
	if err != nil {
		return nil, err
	}
	x := new(Failure)
	if err := json.Unmarshal(text, x); err != nil {
		x.How = fmt.Sprintf("%s is damaged: %v", f.path(failedFolder, name), err)
	}
	x.Point, x.Label = n, f.Points[n].Label
	return x, nil
}

// refusedFile contains a scheduler's last refusal to start workers. It is in the folder of workers' output.
const refusedFile = "refused"

// NoteRefused records a scheduler's refusal to start workers; "" clears it.
func (f *Folder) NoteRefused(why string) error {
	name := filepath.Join(logsFolder, refusedFile)
	if why != "" {
		return f.put(name, []byte(why+"\n"))
	}
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recording that workers were started: %w", err)
	}
	return nil
}

// Refused returns a scheduler's last refusal to start workers; "" for none.
func (f *Folder) Refused() string {
	text, err := infile.Read(f.path(logsFolder, refusedFile), maxFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Remove removes the folder of a campaign on which no worker has worked, and reports whether it did. A folder that
// existed before is left empty.
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
	err := os.Remove(f.path(campaignFile)) // it is no campaign from here on
	for _, folder := range folders() {
		err = errors.Join(err, os.RemoveAll(f.path(folder)))
	}
	if err != nil {
		return false, fmt.Errorf("removing the folder of the campaign: %w", err)
	}
	_ = os.Remove(f.Dir) // it may be the user's and contain other files
	return true, nil
}
