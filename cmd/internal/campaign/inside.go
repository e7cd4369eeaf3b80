package campaign

import (
	"os"
	"path/filepath"
)

// Around is the folder of the campaign that a path is in, whether something is there or not; "" for none. Links are
// followed: what counts is where the path leads.
func Around(path string) string {
	for at := led(path); ; at = filepath.Dir(at) {
		if isCampaign(at) {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// Below is the folder of the campaign that a path is below, as for [Around]; "" for none, and for that folder itself.
func Below(path string) string {
	if dir := Around(path); dir != led(path) {
		return dir
	}
	return ""
}

// led is where a path leads, as an absolute path: as much of it as is there is followed.
func led(path string) string {
	folder, name := filepath.Split(path) // not cleaned: link/.. is above what the link leads to
	for _, begin := range []struct{ there, rest string }{{path, ""}, {folder, name}} {
		if real, err := filepath.EvalSymlinks(begin.there); err == nil && begin.there != "" {
			path = filepath.Join(real, begin.rest)
			break
		}
	}
	whole, err := filepath.Abs(path)
	if err != nil { // the working folder is gone
		return string(filepath.Separator)
	}
	for at, rest := whole, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return whole
		}
	}
}

// isCampaign reports whether a folder looks like that of a campaign.
func isCampaign(dir string) bool {
	for _, name := range []string{campaignFile, claimsFolder} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
