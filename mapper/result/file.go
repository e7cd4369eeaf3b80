package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// ReadFile reads a result file. Errors in the file count as wrong input.
func ReadFile(path string) (*Result, error) {
	file, err := infile.Open(path)
	if near := similarResult(path); errors.Is(err, fs.ErrNotExist) && near != "" {
		err = fmt.Errorf("%w (did you mean %s?)", err, near)
	}
	if err != nil {
		return nil, fault.Usage(err)
	}
	defer file.Close()
	r, err := Decode(path, file)
	if err != nil {
		return nil, fault.Usage(err)
	}
	return r, nil
}

// similarResult returns the existing JSON file whose name, without extension, is most similar to that of a missing
// result file; "" for none.
func similarResult(path string) string {
	dir, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Join(dir, ".")) // without the folder there is no suggestion
	stem := func(name string) string { return strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".result") }
	var files, stems []string
	for _, x := range entries {
		if x.Type().IsRegular() && filepath.Ext(x.Name()) == ".json" {
			files, stems = append(files, x.Name()), append(stems, stem(x.Name()))
		}
	}
	if at := slices.Index(stems, xlang.Nearest(stem(name), stems)); at >= 0 {
		return filepath.Join(dir, files[at])
	}
	return ""
}
