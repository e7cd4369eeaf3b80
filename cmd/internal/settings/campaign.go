package settings

import (
	"strings"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/file"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/options"
)

// Campaign contains the settings that only campaigns have.
type Campaign struct {
	Folder           string // folder of --campaign
	Dir, Engine, Out string
	Launch, Node     string
	Hosts, Seeds     []string
	Workers          int
	Partial          bool
	Chunk, Stale     time.Duration
	Watch            bool
}

// campaignOptions returns the options of the campaign commands, and of commands that can run as campaigns.
func (s *Settings) campaignOptions(campaigns []string) []options.Option {
	return append(s.whereOptions(), s.folderOptions(campaigns)...)
}

// whereOptions returns the options for the machines of a campaign. They belong to single commands, because eval uses
// one of the names for another option.
func (s *Settings) whereOptions() []options.Option {
	var list []options.Option
	for _, command := range []string{"campaign submit", "campaign resume", "campaign work"} {
		traits := options.PerCommand
		if command == "campaign work" { // engines start this command with this option
			traits |= options.NotInFile
		}
		list = append(list, options.Option{Name: "engine", Kind: options.Text, Metavar: "ENGINE",
			Values: engine.Names(),
			Group:  options.GroupRun, Traits: traits,
			Commands: []string{command}, To: &s.Campaign.Engine,
			Help:    "engine that computes the points",
			Details: "Default: the engine in the campaign file, or local.",
			Common:  []string{command}})
	}
	return list
}

// folderOptions returns the options to submit, resume and collect campaigns.
func (s *Settings) folderOptions(campaigns []string) []options.Option {
	runs := []string{"campaign submit", "campaign resume"}
	return []options.Option{
		{Name: "dir", Kind: options.Folder, Group: options.GroupRun, Traits: options.PerCommand,
			Commands: []string{"campaign submit"}, To: &s.Campaign.Dir,
			Help:    "campaign folder, shared by all machines of the campaign",
			Details: "Default: NAME.campaign for the file NAME.",
			Common:  []string{"campaign submit"}},
		{Name: "workers", Kind: options.Number, Default: "0", Group: options.GroupRun,
			Check:    options.Between(0, file.MaxWorkers),
			Commands: append([]string{"campaign work"}, runs...), To: &s.Campaign.Workers,
			Help:    "number of parallel points, or of cluster workers",
			Details: "0: one for each core of this machine.",
			Common:  runs},
		{Name: "chunk-time", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(time.Millisecond),
			Commands: append([]string{"campaign work"}, runs...), To: &s.Campaign.Chunk,
			Help:    "target duration of the points that a worker claims at once",
			Details: "0: 10s on this machine, 5m on a cluster."},
		{Name: "stale", Kind: options.Duration, Default: "0s", Group: options.GroupRun,
			Check:    options.ZeroOrAtLeast(time.Second),
			Commands: append([]string{"campaign work"}, runs...), To: &s.Campaign.Stale,
			Help:    "timeout after which the points of a silent worker are reassigned",
			Details: "Only for workers on other machines. 0: 1m."},
		{Name: file.CampaignOption, Kind: options.Folder, Metavar: "DIR", Group: options.GroupRun,
			Traits:   options.NotInFile,
			Commands: campaigns, To: &s.Campaign.Folder,
			Help:    "run the command as a campaign in this folder",
			Details: "xopt campaign status shows its progress, and xopt campaign resume continues it."},
		{Name: SeedsOption, Kind: options.Words, Metavar: "SEEDS", Group: options.GroupRun, Traits: options.NotInFile,
			Check:    seedList,
			Commands: []string{"search"}, To: &s.Campaign.Seeds,
			Help:    "seeds of a search campaign, such as 1..8 or 1,2,5",
			Details: "Each seed is one point. Only with --campaign. Default: only --seed."},
		{Name: NodesOption, Kind: options.Words, Metavar: "NODES", Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"calibrate"}, To: &s.Calibrate.Nodes,
			Help:    "nodes to calibrate in a campaign, separated by commas",
			Details: "Only with --campaign. Default: this node."},
		{Name: "out", Short: "o", Kind: options.File, Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{"campaign collect"}, To: &s.Campaign.Out,
			Help: "write the result to this file",
			Details: "NAME.csv: the table. NAME.json: the result. For searches, any other NAME writes " +
				"NAME.result.json and map files of the best mappings. For calibrations, NAME.profile.json is the " +
				"profile of one type of node.",
			Common: []string{"campaign collect"}},
		{Name: PartialOption, Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInFile,
			Commands: []string{"campaign collect"}, To: &s.Campaign.Partial,
			Help:   "accept missing points",
			Common: []string{"campaign collect"}},
		{Name: "json", Kind: options.Switch, Group: options.GroupOutput,
			Commands: []string{"campaign collect", "campaign status"}, To: &s.JSON,
			Help:   "print JSON instead of tables",
			Common: []string{"campaign collect", "campaign status"}},
		{Name: "report", Kind: options.Folder, Metavar: "PATH", Group: options.GroupOutput,
			Commands: []string{"campaign collect"}, To: &s.Report,
			Help:    "write an HTML page and its result file",
			Details: "PATH.html names the page; any other name is a folder.",
			Common:  []string{"campaign collect"}},
		{Name: "force", Kind: options.Switch, Group: options.GroupOutput, Traits: options.NotInProject,
			Commands: []string{"campaign collect"}, To: &s.Force,
			Help: "overwrite files that xopt did not write"},
	}
}

func (s *Settings) engineOptions() []options.Option {
	runs := []string{"campaign submit", "campaign resume"}
	return []options.Option{
		{Name: "hosts", Kind: options.Words, Metavar: "HOSTS", Group: options.GroupRun,
			Commands: runs, To: &s.Campaign.Hosts,
			Help:    "hosts for --engine ssh, separated by commas",
			Details: "xopt starts one worker on each host.",
			Common:  runs},
		{Name: "launch", Kind: options.Text, Metavar: "COMMAND", Group: options.GroupRun, Traits: options.NotInProject,
			Commands: runs, To: &s.Campaign.Launch,
			Help: "command that starts a worker with --engine ssh",
			Details: "{host} stands for the host, {command} for the quoted command. Default: " + hosts.Usual +
				"."},
		{Name: "watch", Kind: options.Switch, Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"campaign status"}, To: &s.Campaign.Watch,
			Help:    "repeat until the campaign is complete",
			Details: "Under Slurm, xopt checks the workers once a minute, and replaces dead workers.",
			Common:  []string{"campaign status"}},
		{Name: "node", Kind: options.Text, Group: options.GroupRun, Traits: options.NotInFile,
			Commands: []string{"campaign work"}, To: &s.Campaign.Node,
			Help: "name of this machine in the campaign"},
	}
}

// NodesOption is the option for the nodes that a campaign calibrates. SeedsOption is the option for the seeds of a
// campaign of searches.
const (
	NodesOption = "nodes"
	SeedsOption = "seeds"
)

// PartialOption is the option to show the results of an unfinished campaign.
const PartialOption = "partial"

// Override returns an engine changed by the options.
func (f *Campaign) Override(e campaign.Engine) campaign.Engine {
	if f.Engine != "" {
		e.Name = f.Engine
	}
	if f.Workers > 0 {
		e.Workers = f.Workers
	}
	if f.Chunk > 0 {
		e.ChunkTime = f.Chunk
	}
	if f.Stale > 0 {
		e.Stale = f.Stale
	}
	if len(f.Hosts) > 0 {
		e.Hosts = f.Hosts
	}
	if f.Launch != "" {
		e.Launch = f.Launch
	}
	return e.WithDefaults()
}

// seedList checks --seeds.
func seedList(now any) error {
	_, err := campaign.ParseSeeds(strings.Join(now.([]string), ","))
	return err
}
