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

// asked returns the hash of the request: everything except the list of points, which may be random.
func (w What) asked() (string, error) {
	w.Count, w.List = 0, ""
	return hashOf(w)
}

// seal sets the hashes of a campaign and of its points.
func (c *Campaign) seal(points []Point) error {
	c.Schema, c.Tool, c.Count = Schema, "xopt", len(points)
	switch {
	case len(points) == 0:
		return faults.NoPoints.Errorf("a campaign needs a point")
	case len(points) > MaxPoints:
		return faults.TooManyPoints.Errorf("these are %d points, want at most %d", len(points), MaxPoints)
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
