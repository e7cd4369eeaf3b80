// Package release contains the version of xopt, which the command prints and generated files contain.
package release

import (
	"runtime/debug"
	"strings"
)

// Version is the version of xopt.
const Version = "0.1.0"

// Build returns the version and, if known, the commit of the build, such as "0.1.0+1a2b3c4d5e6f". The version ends in
// "-dirty" if files have changed since the commit.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	return Version + commit(info)
}

// commit returns "+" and the commit of a build, or "" if the commit is unknown.
func commit(info *debug.BuildInfo) string {
	const shown = 12 // hexadecimal digits, as git prints them
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(shown, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if strings.TrimSpace(revision) == "" {
		return ""
	}
	return "+" + revision + dirty
}
