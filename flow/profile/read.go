package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"xopt/internal/files/jsonfile"
)

func (k *Kernel) checkCosts(path string, check func(path string, f *Figure, positive bool)) {
	check(path+".coLocationCost", k.CoLocationCost, false)
	check(path+".switchCost", k.SwitchCost, false)
	check(path+".receiveCost", k.ReceiveCost, false)
	check(path+".sendCost", k.SendCost, false)
	check(path+".receiveFar", k.ReceiveFar, false)
	check(path+".sendFar", k.SendFar, false)
}

// Read reads a profile and checks every figure. name is the file name for errors.
func Read(name string, r io.Reader) (*Profile, error) {
	var p Profile
	if err := (jsonfile.Format{What: "profile", Schema: Schema}).Read(name, r, &p); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("profile %s: %w", name, err)
	}
	return &p, nil
}

// Encode writes the profile as JSON. It returns an error if a number is not finite.
func (p *Profile) Encode(w io.Writer) error {
	if at := notFinite(reflect.ValueOf(p), ""); at != "" {
		return fmt.Errorf("writing a profile: %s is not a finite number", at)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		return fmt.Errorf("writing a profile: %w", err)
	}
	return nil
}

// Validate returns a joined error with all impossible figures and their paths in the file, or nil.
func (p *Profile) Validate() error {
	var errs []error
	check := func(path string, f *Figure, positive bool) {
		if f == nil {
			return
		}
		switch {
		case math.IsNaN(f.Value) || math.IsInf(f.Value, 0) || f.Value < 0 || positive && f.Value == 0:
			errs = append(errs, fmt.Errorf("%s is %g, expected a finite value %s", path, f.Value,
				map[bool]string{false: "of at least 0", true: "above 0"}[positive]))
		case f.N < 0:
			errs = append(errs, fmt.Errorf("%s has %d windows, expected at least 0", path, f.N))
		case f.N > 0 && f.CI95 != [2]float64{} && !(f.CI95[0] <= f.Value && f.Value <= f.CI95[1]):
			errs = append(errs, fmt.Errorf("%s is %g, outside its interval [%g, %g]", path, f.Value, f.CI95[0],
				f.CI95[1]))
		}
	}
	errs = append(errs, p.Reference.validate()...)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		path := fmt.Sprintf("kernels[%d]", i)
		errs = append(append(errs, k.Undisturbed.validate(path+".undisturbed")...),
			k.Refined.validate(path+".refined")...)
		errs = append(errs, k.Cycles.validate(path+".cycles")...)
		if k.Block == "" && k.Instance == "" || k.Platform == "" && k.Resource == "" {
			errs = append(errs, fmt.Errorf("%s needs a block or instance and a platform or resource", path))
		}
		check(path+".serviceRate", k.ServiceRate, true)
		check(path+".gain", k.Gain, false)
		check(path+".serviceSCV", k.ServiceSCV, false)
		check(path+".firingBytes", k.FiringBytes, true)
		k.checkCosts(path, check)
		check(path+".maxClock", k.MaxClock, true)
		errs = append(errs, k.Contention.validate(path+".contention", check))
		for port, f := range k.Batch {
			check(path+".batch."+port, &f, true)
		}
		for port, f := range k.Routing {
			check(path+".routing."+port, &f, false)
			if f.Value > 1 {
				errs = append(errs, fmt.Errorf("%s.routing.%s is %g, expected at most 1", path, port, f.Value))
			}
		}
		if k.Times != nil {
			if err := k.Times.Validate(); err != nil {
				errs = append(errs, fmt.Errorf("%s.times: %w", path, err))
			}
		}
		if k.Source != nil && len(k.Source.Files) == 0 {
			errs = append(errs, fmt.Errorf("%s.source.files is empty, expected at least one file", path))
		}
		errs = append(errs, k.Area.validate(path+".area"), k.CopiesArea.validate(path+".copiesArea"))
	}
	errs = append(errs, p.Memory.validate(check))
	p.Copies.validate(check)
	for i := range p.Links {
		l := &p.Links[i]
		path := fmt.Sprintf("links[%d]", i)
		if l.Linktype == "" && l.Link == "" {
			errs = append(errs, fmt.Errorf("%s needs a linktype or a link", path))
		}
		l.checkFigures(path, check)
	}
	for i := range p.Sharing {
		s := &p.Sharing[i]
		path := fmt.Sprintf("sharing[%d]", i)
		if s.Platform == "" {
			errs = append(errs, fmt.Errorf("%s needs a platform", path))
		}
		if _, err := s.Rule(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		check(path+".switchCost", s.SwitchCost, false)
		for j := range s.Pipelines {
			errs = append(errs, s.Pipelines[j].validate(fmt.Sprintf("%s.pipelines[%d]", path, j)))
		}
	}
	return errors.Join(errs...)
}

// checkFigures checks each figure of a link. Only bandwidths and sizes must be above 0.
func (l *Link) checkFigures(path string, check func(path string, f *Figure, positive bool)) {
	check(path+".bandwidth", l.Bandwidth, true)
	check(path+".transferCost", l.TransferCost, false)
	check(path+".transferBytes", l.TransferBytes, true)
	check(path+".latency", l.Latency, false)
	check(path+".send", l.Send, false)
	check(path+".receive", l.Receive, false)
	check(path+".sendElement", l.SendElement, false)
	check(path+".receiveElement", l.ReceiveElement, false)
}

// UnmarshalJSON reads a kernel of this version, or of an earlier version with other names for two costs.
func (k *Kernel) UnmarshalJSON(data []byte) error {
	type plain Kernel // a type without methods prevents infinite recursion
	var old struct {
		*plain
		CoLocation *Figure `json:"companyCost"`
		Receive    *Figure `json:"takeCost"`
	}
	old.plain = (*plain)(k)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&old); err != nil {
		return err
	}
	if k.CoLocationCost == nil {
		k.CoLocationCost = old.CoLocation
	}
	if k.ReceiveCost == nil {
		k.ReceiveCost = old.Receive
	}
	return nil
}

// notFinite returns the path in the file of the first number that JSON cannot represent (NaN or infinity); "" for none.
func notFinite(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return path
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notFinite(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || name == "-" {
				continue
			}
			if at := notFinite(v.Field(i), joined(path, name)); at != "" {
				return at
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if at := notFinite(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if at := notFinite(v.MapIndex(key), joined(path, fmt.Sprint(key))); at != "" {
				return at
			}
		}
	}
	return ""
}

// joined appends a name to a path. The name of an embedded struct is empty.
func joined(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}
