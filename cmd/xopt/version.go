package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/release"
)

// version describes the build: the release, the commit where it is known, and
// the solvers that are in it.
func version() string {
	v := release.Version
	if info, ok := debug.ReadBuildInfo(); ok {
		v += commit(info)
	}
	engine := "without CLP"
	if hasCLP {
		engine = "with CLP"
	}
	return fmt.Sprintf("%s (%s, %s)", v, runtime.Version(), engine)
}

// commit is "+" and the commit that a build was made from, with "-dirty" where
// files were changed since; empty where the build does not say.
func commit(info *debug.BuildInfo) string {
	const shown = 12 // digits, as git prints them
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

// versionCommand prints what --version prints.
func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "xopt %s\n", version())
			return err
		},
	}
}
