package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"xopt/cmd/faults"
	"xopt/flow"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// ReadProfile reads the profile that a flag names. A damaged profile is an input error.
func ReadProfile(flag, path string) (*profile.Profile, error) {
	f, err := infile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.NoProfile.Usagef("--%s: file %s does not exist; measure the kernels first: xopt "+
			"calibrate APP.x ARCH.x -o %s", flag, path, path)
	}
	if err != nil {
		return nil, fault.Usage(fmt.Errorf("--%s: %w", flag, err))
	}
	defer f.Close()
	p, err := profile.Read(path, f)
	if err != nil {
		return nil, faults.WrongProfile.Usagef("--%s: %w\n  xopt calibrate writes profiles, such as "+
			"app.profile.json", flag, err)
	}
	return p, nil
}

// AddRun adds the processing time of an input of the size in --bytes to a candidate.
func (s *Settings) AddRun(c *result.Candidate) error {
	if s.Bytes == "" {
		return nil
	}
	bytes, err := units.ParseSize(s.Bytes)
	if err != nil {
		return fault.Usage(fmt.Errorf("--bytes: %w", err))
	}
	if !(bytes <= flow.MaxFigure) {
		return fault.WrongValue("bytes", s.Bytes, "at most %g bytes, such as 59.88MB", flow.MaxFigure)
	}
	c.Run = &result.Run{Bytes: result.Number(bytes), Seconds: result.Number(bytes) / c.Throughput}
	return nil
}
