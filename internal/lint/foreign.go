package lint

import "path"

// foreign finds C, C++ and assembler in folders that hold Go, too. A build with cgo takes them for parts of
// the package,
// and refuses it where the package does not use cgo; a build without cgo hides that.
func foreign(root string) (faults, error) {
	withGo := make(map[string]bool)
	if err := goFiles(root, func(file string) error {
		withGo[path.Dir(file)] = true
		return nil
	}); err != nil {
		return nil, err
	}
	var found faults
	for _, suffix := range []string{".c", ".cc", ".cpp", ".cxx", ".m", ".s", ".S", ".f", ".swig"} {
		err := files(root, suffix, func(file string) error {
			if withGo[path.Dir(file)] {
				found.addf("%s stands beside Go files, where a build with cgo takes it for a part of the package: "+
					"give it a folder of its own", file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
