package options

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/files/infile"
)

// The xopt.yaml of a working folder may come from another person, a repository or a shared disk. xopt uses such a file
// only if no other user can have written it. It accepts only options without effects outside the folder. These limits
// do not apply to a file named by --config or XOPT_CONFIG.

// checkOwner rejects a settings file that another user may have written. Only this user and root may own the file or a
// link to the file, and write to them.
func checkOwner(path string) error {
	who, err := infile.Stranger(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading settings from %s: %w", path, err)
	case who != "":
		return faults.UntrustedSettings.Errorf("cannot use the settings file: %s %s; check this file and use --config "+
			"%s, or change to another folder", path, who, path)
	}
	return nil
}

// checkProject rejects options that the settings file of a working folder must not set.
func (o *Option) checkProject(e *Entry) error {
	const remedy = "set the option by a flag, or name the settings file with --config"
	if o.Is(NotInProject) && !(len(e.Values) == 1 && (e.Values[0] == "" || e.Values[0] == "false")) {
		return faults.UntrustedSetting.Errorf("%s: %s cannot be set in the %s of a working folder; %s", e.Place, e.Key,
			FileName, remedy)
	}
	if !o.isPath() {
		return nil
	}
	for _, path := range e.Values {
		_, named, _ := strings.Cut(path, "=") // NAME=PATH
		_, after, _ := strings.Cut(path, ":") // replay:PATH
		for _, p := range []string{path, named, after} {
			if err := checkInside(strings.Trim(strings.TrimSpace(p), `"`)); err != nil {
				return fmt.Errorf("%s: %s: %w; %s", e.Place, e.Key, err, remedy)
			}
		}
	}
	return nil
}

// isPath reports whether the values of an option may be paths.
func (o *Option) isPath() bool {
	return slices.Contains([]Kind{File, Files, Folder}, o.Kind) || o.Is(MayNameFile)
}

// checkInside rejects a path that leads out of the working folder, in its text or through links.
func checkInside(path string) error {
	if path == "" {
		return nil
	}
	outside := faults.OutsideFolder.Errorf("%s is outside the working folder", path)
	if !filepath.IsLocal(path) {
		return outside
	}
	here, err := filepath.EvalSymlinks(".")
	if err == nil {
		here, err = filepath.Abs(here)
	}
	if err != nil {
		return err
	}
	for at := filepath.Clean(path); at != "."; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil {
			continue // xopt will create this path
		}
		to, err := filepath.EvalSymlinks(at)
		if err != nil {
			return outside // a dangling link: xopt would create a file at its target
		}
		if to, err = filepath.Abs(to); err != nil {
			return err
		}
		if rel, err := filepath.Rel(here, to); err != nil || !filepath.IsLocal(rel) {
			return outside
		}
		break
	}
	return nil
}
