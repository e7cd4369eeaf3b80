package build

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/internal/scratch"
)

// objectKey names what the objects of the runtime depend on: the compiler, its flags,
// every file of the runtime, and what the build includes.
func objectKey(compiler, flags, choices string, files map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", compiler, flags, choices)
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// takeObjects links the objects of an earlier build into dir, and tells whether all
// were there.
func takeObjects(cache, dir string, objects []string) bool {
	for _, o := range objects {
		if err := os.Link(filepath.Join(cache, o), filepath.Join(dir, o)); err != nil {
			return false
		}
	}
	return true
}

// keepObjects keeps what was compiled for later builds. Whoever is second finds that
// it is there.
func keepObjects(cache, dir string, objects []string) error {
	temp, err := scratch.Dir(filepath.Dir(cache), "new-")
	if err != nil {
		return fmt.Errorf("keeping compiled objects: %w", err)
	}
	for _, o := range objects {
		if err := os.Link(filepath.Join(dir, o), filepath.Join(temp, o)); err != nil {
			return errors.Join(fmt.Errorf("keeping compiled objects: %w", err), os.RemoveAll(temp))
		}
	}
	if err := os.Rename(temp, cache); err != nil {
		err = errors.Join(ignoreExist(err), os.RemoveAll(temp))
		return err
	}
	return nil
}

// ignoreExist drops the error of a target that exists.
func ignoreExist(err error) error {
	if errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "not empty") {
		return nil
	}
	return err
}
