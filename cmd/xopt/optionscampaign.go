package main

import (
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/file"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/options"
)

// campaignFlags are what only campaigns have.
type campaignFlags struct {
	dir, engine, out string
	launch, node     string
	hosts, seeds     []string
	workers          int
	partial          bool
	chunk, stale     time.Duration
	watch            bool
}

// campaignOptions are those of the commands of campaigns.
func (s *settings) campaignOptions() []options.Option {
	return append(s.whereOptions(), s.folderOptions()...)
}

// whereOptions say where points are computed. The name means something else in eval, so that it is of each command.
func (s *settings) whereOptions() []options.Option {
	var list []options.Option
	for _, command := range []string{"campaign submit", "campaign resume", "campaign work"} {
		traits := options.PerCommand
		if command == "campaign work" { // engines call it, with the option
			traits |= options.NotInFile
		}
		list = append(list, options.Option{Name: "engine", Kind: options.Text, Metavar: "ENGINE",
			Values: engine.Names(),
			Group:  options.GroupRun, Traits: traits,
			Commands: []string{command}, To: &s.campaign.engine,
			Help: "where points are computed: local, slurm or ssh (default: what the file says, or local)"})
	}
	return list
}

// folderOptions are those of submitting, resuming and collecting.
func (s *settings) folderOptions() []options.Option {
	runs := []string{"campaign submit", "campaign resume"}
	return []options.Option{
		{Name: "dir", Kind: options.Folder, Group: options.GroupRun, Traits: options.PerCommand,
			Commands: []string{"campaign submit"}, To: &s.campaign.dir,
			Help: "folder of the campaign, which all of its machines share (default: the name of the file, with " +
				".campaign)"},
		{Name: "workers", Kind: options.Number, Default: "0", Group: options.GroupRun,
			Check:    options.Between(0, file.MaxWorkers),
			Commands: append([]string{"campaign work"}, runs...), To: &s.campaign.workers,
			Help: "number of points to compute side by side on this machine, or of workers on a cluster; 0 for " +
				"as many as there are cores"},
		{Name: "chunk-time", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(time.Millisecond),
			Commands: append([]string{"campaign work"}, runs...), To: &s.campaign.chunk,
			Help: "how long the points should take that a worker takes at once; 0 for 10s on this machine and 5m " +
				"on a cluster"},
		{Name: "stale", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(time.Second),
			Commands: append([]string{"campaign work"}, runs...), To: &s.campaign.stale,
			Help: "how long a worker on another machine may be silent before its points are computed by others; 0 " +
				"for 1m"},
		{Name: file.CampaignOption, Kind: options.Folder, Metavar: "DIR", Group: options.GroupRun,
			Traits:   options.NotInFile,
			Commands: campaignCommands(), To: &s.Campaign,
			Help: "make a campaign of the command in this folder and compute it there: xopt campaign says how far " +
				"it is, " +
				"and goes on with it"},
		{Name: seedsOption, Kind: options.Words, Metavar: "SEEDS", Group: options.GroupRun, Traits: options.NotInFile,
			Check:    seedList,
			Commands: []string{"search"}, To: &s.campaign.seeds,
			Help: "with --campaign: the seeds, each of which is a point: 1..8, or with commas between (default: " +
				"--seed alone)"},
		{Name: nodesOption, Kind: options.Words, Metavar: "NODES", Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"calibrate"}, To: &s.calibrate.nodes,
			Help: "with --campaign: the nodes of a cluster, each of which is measured (default: this one)"},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{"campaign collect"}, To: &s.campaign.out,
			Help: "write to this file: NAME.csv is the table, NAME.json the result; of searches, any other NAME " +
				"gives NAME.result.json and the map files of the best; of nodes, NAME.profile.json is the profile " +
				"of a type"},
		{Name: partialOption, Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInFile,
			Commands: []string{"campaign collect"}, To: &s.campaign.partial,
			Help: "show and write what is done, although points are missing"},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"campaign collect", "campaign status"}, To: &s.JSON,
			Help: "print the result file, or how far the campaign is, as JSON"},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"campaign collect"}, To: &s.Report,
			Help: "also write an HTML page and its result file: PATH.html names the page, any other name a folder"},
		{Name: "force", Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInProject,
			Commands: []string{"campaign collect"}, To: &s.Force,
			Help: "also replace files that xopt did not write"},
	}
}

// engineOptions are those of the machines that campaigns are computed on.
func (s *settings) engineOptions() []options.Option {
	runs := []string{"campaign submit", "campaign resume"}
	return []options.Option{
		{Name: "hosts", Kind: options.Words, Metavar: "HOSTS", Group: options.GroupRun,
			Commands: runs, To: &s.campaign.hosts,
			Help: "hosts that --engine ssh starts workers on, one on each"},
		{Name: "launch", Kind: options.Text, Metavar: "COMMAND", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: runs, To: &s.campaign.launch,
			Help: "how --engine ssh starts a worker: {host} stands for the host, {command} for the worker's command, " +
				"quoted for a shell (default: " + hosts.Usual + ")"},
		{Name: "watch", Kind: options.Switch, Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"campaign status"}, To: &s.campaign.watch,
			Help: "go on until all is done; Slurm is asked once a minute, and replaces workers that have died"},
		{Name: "node", Kind: options.Text, Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"campaign work"}, To: &s.campaign.node,
			Help: "what this machine is called in the campaign"},
	}
}

// nodesOption names the nodes that a campaign calibrates, and seedsOption lists the seeds of its searches.
const (
	nodesOption = "nodes"
	seedsOption = "seeds"
)

// partialOption has the points shown that are done.
const partialOption = "partial"

// engine is what the options say of the engine, over what the campaign says already.
func (f *campaignFlags) over(e campaign.Engine) campaign.Engine {
	if f.engine != "" {
		e.Name = f.engine
	}
	if f.workers > 0 {
		e.Workers = f.workers
	}
	if f.chunk > 0 {
		e.ChunkTime = f.chunk
	}
	if f.stale > 0 {
		e.Stale = f.stale
	}
	if len(f.hosts) > 0 {
		e.Hosts = f.hosts
	}
	if f.launch != "" {
		e.Launch = f.launch
	}
	return e.WithDefaults()
}
