package result

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"xopt/internal/files/infile"
	"xopt/internal/units"
)

// Stamp records the version of xopt, the command line, the current time and the machine in a result.
func (r *Result) Stamp(version string, command []string) {
	r.Version, r.Command = version, command
	r.Made = time.Now().UTC().Format("2006-01-02 15:04 UTC")
	if name, err := os.Hostname(); err == nil {
		r.Host = fmt.Sprintf("%s, %s, %s", name, units.Counted(runtime.NumCPU(), "processor", "processors"),
			runtime.GOOS+"/"+runtime.GOARCH)
	}
}

// Made returns a result with only the provenance of a page: version, command, time, machine, and the hashes of the
// given files.
func Made(version string, command, files []string) (*Result, error) {
	r := &Result{Tool: "xopt"}
	r.Stamp(version, command)
	for _, path := range files {
		sum, err := infile.SHA256(path)
		if err != nil {
			return nil, err
		}
		r.Inputs = append(r.Inputs, Input{Path: path, SHA256: sum})
	}
	return r, nil
}
