package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/design"
	"xopt/internal/output"
	"xopt/internal/validate"
	"xopt/internal/view"
)

// refineBy changes the service rates of a profile by what kernels took in place in results.
func (a *app) refineBy(c *cobra.Command, files []string, f *calibrateFlags, path string) error {
	if f.check != "" || f.against != "" || len(f.inputs) > 0 || f.all {
		return wrongUse("--refine measures nothing: leave out --check, --against, --input and --all")
	}
	plan := a.plan()
	plan.File("-o", path, output.Profile())
	if err := planned(plan); err != nil {
		return err
	}
	old, err := readProfile("refine", path)
	if err != nil {
		return err
	}
	a.settings.Profile = path
	p, source, err := a.programs(files, true)
	if err != nil {
		return err
	}
	d, err := a.lower(c.Context(), only(p, ""), source, files, design.ForCheck)
	if err != nil {
		return err
	}
	var ran []validate.Ran
	var from []string
	for _, file := range f.refine {
		r, err := readResult(file)
		if err != nil {
			return err
		}
		list, err := validate.RanIn(d, r)
		if err != nil {
			return &usageError{fmt.Errorf("--refine %s: %w", file, err)}
		}
		if len(list) == 0 {
			return &usageError{fmt.Errorf("--refine %s: no mapping ran for real in it, undisturbed and long enough "+
				"to tell; give a result of xopt validate --json or xopt deploy -o", file)}
		}
		ran, from = append(ran, list...), append(from, filepath.Base(file))
	}
	learnt, err := validate.Refined(c.Context(), d, ran)
	if err != nil {
		return fmt.Errorf("refining %s: %w", path, err)
	}
	parts := []view.Part{{Table: view.Factors(learnt)}, {Table: view.Refinement(learnt)}}
	a.measured(parts...)
	if !a.settings.JSON {
		if err := a.show(parts...); err != nil {
			return err
		}
	}
	switch {
	case len(learnt.Factors) == 0:
		return errors.New("no kernel took another time in place than the profile has, beyond chance: the " +
			"profile is as it was")
	case !learnt.Better():
		return errors.New("mappings are not predicted better by what the others teach: the profile is as it was")
	}
	out, err := learnt.Apply(old, d, from)
	if err != nil {
		return fmt.Errorf("refining %s: %w", path, err)
	}
	if err := output.WriteFile(path, out.Encode); err != nil {
		return err
	}
	a.note("wrote %s, refined from %s", path, strings.Join(from, ", "))
	if a.settings.JSON {
		return out.Encode(a.stdout.JSON())
	}
	return nil
}
