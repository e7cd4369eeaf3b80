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

// Failure is one time that a point went wrong.
type Failure struct {
	Point  int    `json:"point"`
	Label  string `json:"label"`
	Host   string `json:"host"`
	How    string `json:"how"`    // such as "signal: killed"
	Output string `json:"output"` // the end of what was printed
	// Wrong says that the point itself reported an error; else it took its process with it.
	Wrong bool `json:"wrong"`
}

// MaxTries is how many times a point may take its process with it before it is set aside.
const MaxTries = 3

// fail notes a failure. by makes the name of its file: the same failure noted twice counts once.
func (f *Folder) fail(x *Failure, by string) error {
	x.Label = f.Points[x.Point].Label
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return fmt.Errorf("noting a failure: %w", err)
	}
	return f.put(filepath.Join(failedFolder, fmt.Sprintf("%06d.%s.json", x.Point, by)), append(text, '\n'))
}

// readFailure reads a failure; its name begins with the point.
func (f *Folder) readFailure(name string) (*Failure, error) {
	first, _, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 || n >= len(f.Points) {
		return nil, fmt.Errorf("%s is not of this campaign", f.path(failedFolder, name))
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

// refusedFile is what a scheduler said when it last refused to start workers; it is among what workers print.
const refusedFile = "refused"

// NoteRefused notes why a scheduler has refused to start workers; "" that it has not.
func (f *Folder) NoteRefused(why string) error {
	name := filepath.Join(logsFolder, refusedFile)
	if why != "" {
		return f.put(name, []byte(why+"\n"))
	}
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("noting that workers were started: %w", err)
	}
	return nil
}

// Refused is why a scheduler has last refused to start workers; "" where it has not.
func (f *Folder) Refused() string {
	text, err := infile.Read(f.path(logsFolder, refusedFile), maxFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Remove removes the folder of a campaign that nobody has worked on, and reports whether it did. A folder that was
// there before is empty then.
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
	err := os.Remove(f.path(campaignFile)) // it is none from here on
	for _, folder := range folders() {
		err = errors.Join(err, os.RemoveAll(f.path(folder)))
	}
	if err != nil {
		return false, fmt.Errorf("removing the folder of the campaign: %w", err)
	}
	_ = os.Remove(f.Dir) // it may be the user's, who has put something into it
	return true, nil
}
