package main

import (
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/hosts"
)

// campaignFlags are what only campaigns have.
type campaignFlags struct {
	dir, engine, out string
	launch, node     string
	hosts, seeds     []string
	workers          int
	partial          bool
	chunk, stale     time.Duration
	watch, serve     bool
}

// campaignOptions are those of the commands of campaigns.
func (s *settings) campaignOptions() []option {
	return append(s.whereOptions(), s.folderOptions()...)
}

// whereOptions say where points are computed. The name means something else in eval, so that it is of each command.
func (s *settings) whereOptions() []option {
	var list []option
	for _, command := range []string{"campaign submit", "campaign resume", "campaign work"} {
		perhaps := ofCommand
		if command == "campaign work" { // engines call it, with the option
			perhaps |= notInFile
		}
		list = append(list, option{name: "engine", kind: kindText, word: "ENGINE", values: engine.Names(),
			group: groupRun, perhaps: perhaps,
			in: []string{command}, to: &s.campaign.engine,
			help: "where points are computed: local, slurm or ssh (default: what the file says, or local)"})
	}
	return list
}

// folderOptions are those of submitting, resuming and collecting.
func (s *settings) folderOptions() []option {
	runs := []string{"campaign submit", "campaign resume"}
	return []option{
		{name: "dir", kind: kindFolder, group: groupRun, perhaps: ofCommand,
			in: []string{"campaign submit"}, to: &s.campaign.dir,
			help: "folder of the campaign, which all of its machines share (default: the name of the file, with " +
				".campaign)"},
		{name: "workers", kind: kindNumber, usual: "0", group: groupRun, check: between(0, maxWorkers),
			in: append([]string{"campaign work"}, runs...), to: &s.campaign.workers,
			help: "number of points to compute side by side on this machine, or of workers on a cluster; 0 for " +
				"as many as there are cores"},
		{name: "chunk-time", kind: kindDuration, usual: "0s", group: groupRun, check: timeOrNone(time.Millisecond),
			in: append([]string{"campaign work"}, runs...), to: &s.campaign.chunk,
			help: "how long the points should take that a worker takes at once; 0 for 10s on this machine and 5m " +
				"on a cluster"},
		{name: "stale", kind: kindDuration, usual: "0s", group: groupRun, check: timeOrNone(time.Second),
			in: append([]string{"campaign work"}, runs...), to: &s.campaign.stale,
			help: "how long a worker on another machine may be silent before its points are computed by others; 0 " +
				"for 1m"},
		{name: "serve", kind: kindSwitch, group: groupRun, perhaps: notInFile,
			in: []string{"campaign work"}, to: &s.campaign.serve,
			help: "compute the points that the worker that started this process asks for"},
		{name: campaignOption, kind: kindFolder, word: "DIR", group: groupRun, perhaps: notInFile,
			in: campaignCommands(), to: &s.Campaign,
			help: "make a campaign of the command in this folder and compute it there: xopt campaign says how far " +
				"it is, " +
				"and goes on with it"},
		{name: seedsOption, kind: kindWords, word: "SEEDS", group: groupRun, perhaps: notInFile, check: seedList,
			in: seedCommands(), to: &s.campaign.seeds,
			help: "with --campaign: the seeds, each of which is a point: 1..8, or with commas between (default: " +
				"--seed alone)"},
		{name: nodesOption, kind: kindWords, word: "NODES", group: groupRun, perhaps: notInFile,
			in: []string{"calibrate"}, to: &s.calibrate.nodes,
			help: "with --campaign: the nodes of a cluster, each of which is measured (default: this one)"},
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: []string{"campaign collect"}, to: &s.campaign.out,
			help: "write to this file: NAME.csv is the table, NAME.json the result; of searches, any other NAME " +
				"gives NAME.result.json and the map files of the best; of nodes, NAME.profile.json is the profile " +
				"of a type"},
		{name: partialOption, kind: kindSwitch, group: groupOutput, perhaps: notInFile,
			in: []string{"campaign collect", "campaign show"}, to: &s.campaign.partial,
			help: "show and write what is done, although points are missing"},
		{name: "json", kind: kindSwitch, group: groupOutput,
			in: []string{"campaign collect", "campaign status"}, to: &s.JSON,
			help: "print the result file, or how far the campaign is, as JSON"},
		{name: "report", kind: kindFolder, word: "PATH", group: groupOutput,
			in: []string{"campaign collect"}, to: &s.Report,
			help: "also write an HTML page and its result file: PATH.html names the page, any other name a folder"},
		{name: "force", kind: kindSwitch, group: groupOutput, perhaps: notInProject,
			in: []string{"campaign collect"}, to: &s.Force,
			help: "also replace files that xopt did not write"},
	}
}

// engineOptions are those of the machines that campaigns are computed on.
func (s *settings) engineOptions() []option {
	runs := []string{"campaign submit", "campaign resume"}
	return []option{
		{name: "hosts", kind: kindWords, word: "HOSTS", group: groupRun,
			in: runs, to: &s.campaign.hosts,
			help: "hosts that --engine ssh starts workers on, one on each"},
		{name: "launch", kind: kindText, word: "COMMAND", group: groupRun, perhaps: notInProject,
			in: runs, to: &s.campaign.launch,
			help: "how --engine ssh starts a worker: {host} stands for the host, {command} for the worker's command, " +
				"quoted for a shell (default: " + hosts.Usual + ")"},
		{name: "watch", kind: kindSwitch, group: groupRun, perhaps: notInFile,
			in: []string{"campaign status"}, to: &s.campaign.watch,
			help: "go on until all is done; Slurm is asked once a minute, and replaces workers that have died"},
		{name: "node", kind: kindText, group: groupRun, perhaps: notInFile,
			in: []string{"campaign work"}, to: &s.campaign.node,
			help: "what this machine is called in the campaign"},
	}
}

// campaignCommands are the commands that campaigns are made of.
func campaignCommands() []string {
	return []string{"sweep", "search", "validate", "calibrate"}
}

// seedCommands are those whose points are seeds.
func seedCommands() []string { return []string{"search"} }

// partialOption has the points shown that are done.
const partialOption = "partial"

// maxWorkers is how many workers a campaign may ask for.
const maxWorkers = 10_000

// The times that campaigns have where they are not given.
const (
	localChunk   = 10 * time.Second
	clusterChunk = 5 * time.Minute
	usualStale   = time.Minute
)

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
	if e.Name == "" {
		e.Name = campaign.Local
	}
	if e.ChunkTime == 0 && e.Name == campaign.Local {
		e.ChunkTime = localChunk
	} else if e.ChunkTime == 0 {
		e.ChunkTime = clusterChunk
	}
	if e.Stale == 0 {
		e.Stale = usualStale
	}
	return e
}
