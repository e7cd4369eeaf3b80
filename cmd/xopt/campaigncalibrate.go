package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/report"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// prepareNodeCampaign refuses what a calibration of nodes cannot do, and checks what it will write.
func (a *app) prepareNodeCampaign([]string) error {
	f := &a.settings.calibrate
	if f.check != "" || f.against != "" || len(f.refine) > 0 || len(f.inputs) > 1 || f.trace != "" || f.rules != "" ||
		f.on != "" {
		return faults.OptionsConflict.Usagef("a campaign calibrates nodes, each once: leave out --check, " +
			"--against, --refine, --trace, --rules, --on and all but one --input")
	}
	if len(f.nodes) == 0 {
		f.nodes = []string{engine.ThisNode()}
	}
	if err := hosts.CheckHosts(f.nodes); err != nil {
		return fault.Usage(fmt.Errorf("--%s: %w", nodesOption, err))
	}
	p := a.plan()
	if f.output != "" {
		p.File("-o", profileStem(f.output)+profileSuffix, output.Profile())
	}
	a.planTables(p, output.Tables())
	return planned(p)
}

// profileStem is the name of a profile without its ending.
func profileStem(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".profile")
}

// nodePoints returns the nodes: each is a point that is computed there, if the files can be measured anywhere.
func (a *app) nodePoints(c *cobra.Command, s *submission) ([]campaign.Point, error) {
	if _, err := a.toMeasure(c.Context(), s.files, &a.settings.calibrate, a.plan()); err != nil {
		return nil, err
	}
	var points []campaign.Point
	for _, node := range a.settings.calibrate.nodes {
		points = append(points, campaign.Point{Label: node, Node: node, Args: s.line([]string{nodesOption}, "--out",
			filepath.Join(campaign.OwnFolder, "node"+profileSuffix))})
	}
	return points, nil
}

// showNodes says which nodes are alike, and writes a profile of each type of machine.
func (a *app) showNodes(files []string) error {
	var list []profile.Measured
	for i, x := range a.answers {
		p, err := profile.Read("the answer of node "+a.points[i].Node, bytes.NewReader(x.JSON))
		if err != nil {
			return err
		}
		list = append(list, profile.Measured{Node: a.points[i].Node, Caches: p.Machine.Caches, Profile: p})
	}
	types := profile.Types(list)
	paths, err := a.typePaths(types, files)
	if err != nil {
		return err
	}
	if a.settings.JSON {
		err = a.printJSON(types)
	} else {
		err = a.showTypes(types)
	}
	err = errors.Join(err, a.saveTables(report.TablesOf(report.Nodes(types))))
	for i, path := range paths {
		y := &types[i]
		err = errors.Join(err, output.WriteFile(path, y.Nodes[y.Typical].Profile.Encode))
		a.note("wrote %s, which was measured on %s and stands for %s", path, y.Nodes[y.Typical].Node,
			units.Counted(len(y.Nodes), "node", "nodes"))
	}
	if a.noteNodes(list) && err == nil {
		a.code = exitFailed // as without a campaign
	}
	return err
}

// noteNodes says of each node what was left out and what is in doubt, and reports whether something was left out.
func (a *app) noteNodes(list []profile.Measured) (lacks bool) {
	doubts := false
	for i := range list {
		n, p := &list[i], list[i].Profile
		if text := p.Disturbance(); text != "" {
			a.noteID(faults.MachineDisturbed, "warning: node %s was disturbed: %s", n.Node, text)
			doubts = true
		}
		if x := report.Extrapolated(p); len(x) > 0 {
			a.noteID(faults.MachineSlow, "warning: node %s was slow in all windows of %s: the rates of good time are "+
				"extrapolated from slow ones", n.Node, strings.Join(design.Ranges(x), ", "))
		}
		var unsure []calibrate.Doubt
		for j := range p.Kernels {
			if k := &p.Kernels[j]; k.Doubt != "" {
				unsure = append(unsure, calibrate.Doubt{Kernel: cmp.Or(k.Instance, k.Block), Why: k.Doubt})
			}
		}
		for _, x := range calibrate.Doubts(unsure) {
			a.note("note: node %s: %s", n.Node, x)
			doubts = true
		}
		if c := p.Conditions; c != nil && c.Incomplete != "" {
			a.noteID(faults.ProfileIncomplete, "warning: the profile of node %s is incomplete: %s", n.Node,
				c.Incomplete)
			lacks = true
		}
	}
	switch {
	case lacks && a.settings.calibrate.budget > 0:
		a.noteID(faults.LongerBudget, "note: a longer --budget than %s measures what was left out: submit the "+
			"campaign with it, into another folder", a.settings.calibrate.budget)
	case lacks || doubts:
		a.noteID(faults.MeasureAgain, "note: to measure these again, submit the campaign when the nodes are quiet, "+
			"into another folder")
	}
	return lacks
}

// showTypes prints the types of machines, and their nodes.
func (a *app) showTypes(types []profile.Type) error {
	for i := range types {
		y := &types[i]
		m := &y.Machine
		words := []string{m.CPU, units.Counted(m.Cores, "core", "cores"), m.Kernel}
		if y.Caches != "" {
			words = append(words, y.Caches)
		}
		alike := "all alike"
		switch {
		case len(y.Nodes) == 1:
			alike = "with none to compare it to"
		case len(y.Odd) > 0:
			var odd []string
			for _, o := range y.Odd {
				odd = append(odd, o.Node)
			}
			alike = "of these odd: " + strings.Join(odd, ", ")
		}
		if _, err := fmt.Fprintf(a.stdout, "Type %d: %s; %s, %s\n", i+1, strings.Join(words, ", "),
			units.Counted(len(y.Nodes), "node", "nodes"), alike); err != nil {
			return err
		}
		if err := a.show(report.CalibrationHead(y.Nodes[y.Typical].Profile)...); err != nil {
			return err
		}
	}
	return a.show(report.Nodes(types)...)
}

// typePaths are where the profiles of the types go: one to what -o says, several beside it.
func (a *app) typePaths(types []profile.Type, files []string) ([]string, error) {
	base := a.settings.calibrate.output
	if base == "" {
		return nil, nil
	}
	stem := profileStem(base)
	var paths []string
	p := a.plan()
	for i := range types {
		path := stem + profileSuffix
		if len(types) > 1 {
			path = fmt.Sprintf("%s.%d%s", stem, i+1, profileSuffix)
		}
		p.File("-o", path, output.Profile())
		paths = append(paths, path)
	}
	return paths, planned(p)
}
