package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/internal/files/infile"
)

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
