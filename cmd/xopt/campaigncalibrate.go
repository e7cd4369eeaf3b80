package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// prepareNodeCampaign rejects options that the calibration of nodes does not support. It also checks the output files.
func (a *app) prepareNodeCampaign([]string) error {
	f := &a.settings.Calibrate
	if f.Check != "" || f.Against != "" || len(f.Refine) > 0 || len(f.Inputs) > 1 || f.Trace != "" || f.Rules != "" ||
		f.On != "" {
		return faults.OptionsConflict.Usagef("a calibration campaign measures each node once; leave out --check, " +
			"--against, --refine, --trace, --rules, --on, and all but one --input")
	}
	if len(f.Nodes) == 0 {
		f.Nodes = []string{engine.ThisNode()}
	}
	if err := hosts.CheckHosts(f.Nodes); err != nil {
		return fault.Usage(fmt.Errorf("--%s: %w", settings.NodesOption, err))
	}
	p := a.plan()
	if f.Output != "" {
		p.File("-o", profileStem(f.Output)+settings.ProfileSuffix, output.Profile())
	}
	a.planTables(p, output.Tables())
	return p.Err()
}

// profileStem returns the name of a profile without its extension.
func profileStem(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".profile")
}

// nodePoints checks that the files can be measured. It returns one point per node, which that node computes.
func (a *app) nodePoints(c *cobra.Command, s *submission) ([]campaign.Point, error) {
	if _, err := a.toMeasure(c.Context(), s.files, &a.settings.Calibrate, a.plan()); err != nil {
		return nil, err
	}
	var points []campaign.Point
	for _, node := range a.settings.Calibrate.Nodes {
		points = append(points, campaign.Point{Label: node, Node: node, Args: s.line([]string{settings.NodesOption},
			"--out", filepath.Join(campaign.OwnFolder, "node"+settings.ProfileSuffix))})
	}
	return points, nil
}

// showNodes groups equal nodes into machine types and writes a profile of each type.
func (a *app) showNodes([]string) error {
	var list []profile.Measured
	for i, x := range a.answers {
		p, err := profile.Read("the result of node "+a.points[i].Node, bytes.NewReader(x.JSON))
		if err != nil {
			return err
		}
		list = append(list, profile.Measured{Node: a.points[i].Node, Caches: p.Machine.Caches, Profile: p})
	}
	types := profile.Types(list)
	paths, err := a.typePaths(types)
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
		a.note("wrote %s, measured on %s, which represents %s", path, y.Nodes[y.Typical].Node,
			units.Counted(len(y.Nodes), "node", "nodes"))
	}
	budget := ""
	if x := a.settings.Calibrate.Budget; x > 0 {
		budget = x.String()
	}
	notes, lacks := report.NodeNotes(list, budget)
	noteEach(a, "%s", notes)
	if lacks && err == nil {
		a.code = exitFailed // the exit code of a calibration without a campaign
	}
	return err
}

// showTypes prints the machine types and their nodes.
func (a *app) showTypes(types []profile.Type) error {
	for i := range types {
		y := &types[i]
		if _, err := fmt.Fprintln(a.stdout, report.TypeHead(y, i+1)); err != nil {
			return err
		}
		if err := a.show(report.CalibrationHead(y.Nodes[y.Typical].Profile)...); err != nil {
			return err
		}
	}
	return a.show(report.Nodes(types)...)
}

// typePaths returns the paths of the machine types' profiles: the path of -o, or NAME.1, NAME.2 … for several types.
func (a *app) typePaths(types []profile.Type) ([]string, error) {
	base := a.settings.Calibrate.Output
	if base == "" {
		return nil, nil
	}
	stem := profileStem(base)
	var paths []string
	p := a.plan()
	for i := range types {
		path := stem + settings.ProfileSuffix
		if len(types) > 1 {
			path = fmt.Sprintf("%s.%d%s", stem, i+1, settings.ProfileSuffix)
		}
		p.File("-o", path, output.Profile())
		paths = append(paths, path)
	}
	return paths, p.Err()
}
