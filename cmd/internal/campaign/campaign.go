// Package campaign manages campaigns. A campaign consists of many points of one command. Workers compute the points, on
// one or more machines that share only a folder.
//
// A point is a command line that prints JSON. The command lists the points ([Create]), workers run them ([Work]), and
// the command shows their answers ([Folder.Answers]).
//
// The folder contains the complete state. Its results files are authoritative:
//
//	campaign.json   the campaign, with its hash; written last
//	inputs/         copies of all input files, so later edits of the originals have no effect
//	points/         the list of points, many in each file
//	claims/         the points that each worker claimed: 000001.json, 000002.json, …
//	workers/        a file for each worker, with a count that increases while the worker lives
//	results/        results, many in each file: written to a temporary file, synced, renamed
//	failed/         the failures of points, a file for each
//	checkpoints/    a folder for each point in progress that writes files, to resume it
//
// Claims are numbered. To claim points, a worker reads all claims and results, and selects points that are neither
// finished nor in progress at a live worker. It creates its claim under the next number with a hard link, which is
// atomic on local disks and on NFS. If another worker was first, the worker reads again. Every claim therefore
// considers all earlier claims. The package treats points of dead workers, points with damaged results and new points
// alike: they have no result, and no worker computes them.
//
// The package never compares the clocks of different machines. A worker is dead if the count in its file has not
// changed for some time by the observer's clock. A worker on the observer's machine is also dead if its process has
// ended.
//
// The rules for shared folders follow the manuals of link(2) and open(2) on NFS.
package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"xopt/cmd/faults"
)

// Schema is the version of the files of a campaign.
const Schema = 2

// Campaign is the content of campaign.json.
type Campaign struct {
	Schema int    `json:"schema"`
	Tool   string `json:"tool"`
	What

	Hash   string `json:"hash"` // hash of What
	Run    string `json:"run"`  // random identifier; part of the job names
	Engine Engine `json:"engine"`
}

// What contains everything that determines the points of a campaign and their answers.
type What struct {
	Kind    string   `json:"kind"`
	Version string   `json:"version"` // version of xopt
	Files   []string `json:"files"`   // input files of the command, relative to Work
	Options []string `json:"options"` // options of the command, as flags
	Work    string   `json:"work"`    // working folder of the command, below inputs
	Inputs  []Input  `json:"inputs"`
	Count   int      `json:"points"`
	// Cores is the number of cores per point. 0 reserves the whole machine for each point.
	Cores int    `json:"cores"`
	List  string `json:"list"` // hash of the list of points
	// Keep lists the output fields that the campaign stores for each point; empty for all.
	Keep []string `json:"keep,omitempty"`
}

// Input is a copied input file.
type Input struct {
	Path   string `json:"path"` // path below inputs
	SHA256 string `json:"sha256"`
}

// Engine defines where and how workers compute points. Answers do not depend on it.
type Engine struct {
	Name      string        `json:"name"`               // local, slurm, ssh
	Workers   int           `json:"workers,omitempty"`  // 0 to let the engine choose
	ChunkTime time.Duration `json:"chunkTime"`          // intended duration of a claim
	Stale     time.Duration `json:"stale"`              // a worker counts as dead after this silence
	Slurm     string        `json:"slurm,omitempty"`    // the user's own #SBATCH lines
	Hosts     []string      `json:"hosts,omitempty"`    // hosts of the ssh engine
	Launch    string        `json:"launch,omitempty"`   // command that starts a program on a host
	Settings  []string      `json:"settings,omitempty"` // further settings of the engine
}

// The names of the engines.
const (
	Local = "local"
	Slurm = "slurm"
	SSH   = "ssh"
)

// Default durations of engines.
const (
	localChunk   = 10 * time.Second
	clusterChunk = 5 * time.Minute
	usualStale   = time.Minute
)

// WithDefaults returns the engine with the defaults filled in.
func (e Engine) WithDefaults() Engine {
	e.Name, e.Stale = cmp.Or(e.Name, Local), cmp.Or(e.Stale, usualStale)
	if chunk := clusterChunk; e.ChunkTime == 0 {
		if e.Name == Local {
			chunk = localChunk
		}
		e.ChunkTime = chunk
	}
	return e
}

// Point is one computation: a command line that prints JSON.
type Point struct {
	N     int               `json:"n"` // number of the point, from 0
	Label string            `json:"label"`
	Node  string            `json:"node,omitempty"`  // node that must compute the point; "" for any
	Args  []string          `json:"args"`            // arguments of xopt, with the placeholders [OwnFolder] and [Every]
	Files map[string]string `json:"files,omitempty"` // contents of the files in the point's own folder, by name
	Hash  string            `json:"hash"`            // hash of all inputs of the point
}

// MaxPoints is the maximum number of points of a campaign.
const MaxPoints = 100_000

// requested returns the hash of the request. It excludes the list of points, which may be random.
func (w What) requested() (string, error) {
	w.Count, w.List = 0, ""
	return hashOf(w)
}

// seal computes the hashes of a campaign and its points.
func (c *Campaign) seal(points []Point) error {
	c.Schema, c.Tool, c.Count = Schema, "xopt", len(points)
	switch {
	case len(points) == 0:
		return faults.NoPoints.Errorf("a campaign needs at least one point")
	case len(points) > MaxPoints:
		return faults.TooManyPoints.Errorf("the campaign has %d points, expected at most %d", len(points), MaxPoints)
	}
	c.List = ""
	common, err := hashOf(c.What)
	if err != nil {
		return err
	}
	for i := range points {
		p := &points[i]
		p.N, p.Hash = i, ""
		if p.Hash, err = hashOf([]any{common, p}); err != nil {
			return err
		}
	}
	if c.List, err = hashOf(points); err != nil {
		return err
	}
	c.Hash, err = hashOf(c.What)
	return err
}

// hashOf returns the hash of a value's JSON encoding.
func hashOf(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("hashing the campaign: %w", err)
	}
	return sumOf(text), nil
}

// sumOf returns the SHA-256 of a text.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
