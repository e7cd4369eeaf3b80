package trace

import (
	"fmt"
	"os"
)

// OpenFile opens a trace for reading: a file of this package's format, or a folder of .ts files.
func OpenFile(path string) (Table, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("opening a trace: %w", err)
	}
	if info.IsDir() {
		return openFolder(path)
	}
	return openTable(path)
}
