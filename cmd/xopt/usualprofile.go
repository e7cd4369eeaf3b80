package main

import (
	"path/filepath"
	"strings"

	"xopt/cmd/internal/settings"
	"xopt/internal/files/output"
)

// settleProfile selects the profile of a command once, before anything is read. It is the profile of --profile or a
// setting, none, or the one that calibrate wrote for one of the files under its default name.
func (a *app) settleProfile(files []string) {
	v := a.inForce["profile"]
	switch {
	case v == nil || a.role.Sealed():
		return
	case a.settings.Profile == settings.NoProfile:
		a.settings.Profile = ""
		return
	case a.settings.Profile != "":
		return
	}
	for _, f := range files {
		path := usualProfileOf(f)
		if path == "" {
			continue
		}
		if err := v.Assign([]string{path}, "written by calibrate for "+f); err != nil {
			continue // no profile has such a name
		}
		a.settings.Profile, a.usualProfile = path, true
		a.note("profile: %s, which calibrate wrote for %s; --profile none leaves it out", path, f)
		return
	}
}

// usualProfileOf returns the profile that calibrate wrote for an X file: next to the file, or in the working folder,
// where calibrate writes it; "" for none.
func usualProfileOf(file string) string {
	if !strings.HasSuffix(file, ".x") {
		return ""
	}
	here := baseName([]string{file}) + settings.ProfileSuffix
	for _, path := range []string{filepath.Join(filepath.Dir(file), here), here} {
		if output.Wrote(path, output.Profile()) {
			return path
		}
	}
	return ""
}

// leaveProfile discards the profile that settleProfile found.
func (a *app) leaveProfile() {
	_ = a.inForce["profile"].Reset() // its default has been parsed before
	a.settings.Profile, a.usualProfile = "", false
}
