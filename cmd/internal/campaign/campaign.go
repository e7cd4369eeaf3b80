// Package campaign manages campaigns: many points of one command, computed by workers on one or more machines that
// share only a folder.
//
// A point is a command line that prints JSON. The command lists the points ([Create]), workers run them ([Work]), and
// the command shows their answers ([Folder.Answers]).
//
// The folder contains the complete state, and its result files are authoritative:
//
//	campaign.json   the campaign, with its hash; written last
//	inputs/         copies of all input files, so later edits of the originals have no effect
//	points/         the list of points, many in each file
//	claims/         the points that each worker claimed: 000001.json, 000002.json, …
//	workers/        a file for each worker, with a count that increases while it lives
//	results/        results, many in each file: written to a temporary file, synced, renamed
//	failed/         the failures of points, a file for each
//	checkpoints/    a folder for each point in progress that writes files, to resume it
//
// Claims are numbered. To claim points, a worker reads all claims and results, and selects points that are neither
// finished nor in progress at a live worker. It links its claim to the next number, which is atomic on local disks and
// on NFS. If another worker was first, it reads again. Every claim is therefore made with knowledge of all earlier
// ones. The package treats points of dead workers, damaged results and new points alike, as points without a result
// that no worker computes.
//
// It never compares clocks of different machines. A worker is dead if the count in its file has not changed for some
// time by the observer's clock or, on the same machine, if its process has ended.
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

	Hash   string `json:"hash"` // of What
	Run    string `json:"run"`  // random; part of the names of jobs
	Engine Engine `json:"engine"`
}

// What defines the computation of a campaign, with everything that its answers depend on.
type What struct {
	Kind    string   `json:"kind"`
	Version string   `json:"version"` // of the tool
	Files   []string `json:"files"`   // of the command, relative to Work
	Options []string `json:"options"` // of the command, as flags
	Work    string   `json:"work"`    // the folder in inputs where the command works
	Inputs  []Input  `json:"inputs"`
	Count   int      `json:"points"`
	// Cores is the number of cores of a point; 0 for a complete machine, on which nothing else runs.
	Cores int    `json:"cores"`
	List  string `json:"list"` // the hash of the list of points
	// Keep are the fields of a point's output that are stored; empty for all.
	Keep []string `json:"keep,omitempty"`
}

// Input is a copied input file.
type Input struct {
	Path   string `json:"path"` // in inputs
	SHA256 string `json:"sha256"`
}

// Engine defines where and how points are computed. Answers do not depend on it.
type Engine struct {
	Name      string        `json:"name"`               // local, slurm, ssh
	Workers   int           `json:"workers,omitempty"`  // 0 for the engine's own choice
	ChunkTime time.Duration `json:"chunkTime"`          // intended duration of a claim
	Stale     time.Duration `json:"stale"`              // after which silence a worker counts as dead
	Slurm     string        `json:"slurm,omitempty"`    // the user's own lines #SBATCH
	Hosts     []string      `json:"hosts,omitempty"`    // of ssh
	Launch    string        `json:"launch,omitempty"`   // the command that starts something on a host
	Settings  []string      `json:"settings,omitempty"` // further settings of the engine
}

// The names of the engines.
const (
	Local = "local"
	Slurm = "slurm"
	SSH   = "ssh"
)

// Default times of engines.
const (
	localChunk   = 10 * time.Second
	clusterChunk = 5 * time.Minute
	usualStale   = time.Minute
)

// WithDefaults returns the engine with defaults filled in.
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
	N     int               `json:"n"` // from 0
	Label string            `json:"label"`
	Node  string            `json:"node,omitempty"`  // the node to compute it on; "" for any
	Args  []string          `json:"args"`            // of the program, with [OwnFolder] and [Every]
	Files map[string]string `json:"files,omitempty"` // texts that the command reads in its own folder, by name
	Hash  string            `json:"hash"`            // of all its inputs
}

// MaxPoints is the maximum number of points of a campaign.
const MaxPoints = 100_000

// requested returns the hash of the request: everything except the list of points, which may be random.
func (w What) requested() (string, error) {
	w.Count, w.List = 0, ""
	return hashOf(w)
}

// seal sets the hashes of a campaign and of its points.
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

// hashOf returns the hash of a value as JSON.
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
