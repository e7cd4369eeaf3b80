package campaign

import "xopt/cmd/faults"

// Closed returns an error if a path is inside the folder of a campaign, which must contain only its own files.
func Closed(path string) error {
	if dir := Around(path); dir != "" {
		return faults.InsideCampaign.Errorf("%s is in the folder of a campaign, %s, which holds its own files alone: "+
			"name another place", path, dir)
	}
	return nil
}
