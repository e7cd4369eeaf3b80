package campaign

import (
	"os"
	"path/filepath"

	"xopt/cmd/faults"
)

// Around returns the folder of the campaign that contains a path; "" for none. The path need not exist. Around resolves
// links.
func Around(path string) string {
	for at := resolveLinks(path); ; at = filepath.Dir(at) {
		if isCampaign(at) {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// Below returns the folder of the campaign above a path, as [Around] does; "" for none, or if the path is that folder.
func Below(path string) string {
	if dir := Around(path); dir != resolveLinks(path) {
		return dir
	}
	return ""
}

// resolveLinks resolves the links in the existing part of a path and returns an absolute path.
func resolveLinks(path string) string {
	folder, name := filepath.Split(path) // not filepath.Clean: link/.. is the parent of the link's target
	for _, start := range []struct{ there, rest string }{{path, ""}, {folder, name}} {
		if real, err := filepath.EvalSymlinks(start.there); err == nil && start.there != "" {
			path = filepath.Join(real, start.rest)
			break
		}
	}
	complete, err := filepath.Abs(path)
	if err != nil { // the working folder is gone
		return string(filepath.Separator)
	}
	for at, rest := complete, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return complete
		}
	}
}

// isCampaign reports whether a folder looks like the folder of a campaign.
func isCampaign(dir string) bool {
	for _, name := range []string{campaignFile, claimsFolder} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Closed returns an error if a path is inside the folder of a campaign. That folder must contain only the campaign's
// own files.
func Closed(path string) error {
	if dir := Around(path); dir != "" {
		return faults.InsideCampaign.Errorf("%s is inside the campaign folder %s, which may contain only campaign "+
			"files: choose another folder", path, dir)
	}
	return nil
}
