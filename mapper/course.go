package mapper

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
)

// exact is a float64, which may be infinite, with a lossless text form.
type exact float64

func (x exact) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(x), 'g', -1, 64), nil
}

func (x *exact) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*x = exact(v)
	return err
}

func exacts(list []float64) []exact {
	var out []exact
	for _, x := range list {
		out = append(out, exact(x))
	}
	return out
}

func plainFloats(list []exact) []float64 {
	var out []float64
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// stage is a step of a chain's search method.
type stage uint8

const (
	stageList   stage = iota // first mapping, by list scheduling
	stagePolish              // polish of the first list
	stageBegin               // start of a restart
	stageCool                // annealing
	stageFinish              // last polish of the restart
	stageProve               // branch and bound
)

// course is the resumable state of a chain's method, as plain data for a State. A chain resumes from its course,
// mapping, incumbent pool, tally and random numbers.
type course struct {
	Stage    stage  `json:"stage"`
	Restarts int    `json:"restarts"` // number of restarts
	Idle     int    `json:"idle"`     // consecutive restarts or tries without improvement
	Settled  bool   `json:"settled"`  // Idle has reached patience; a chain of Mixed still continues
	Best     exact  `json:"best"`     // throughput and value at the start of the restart
	Value    exact  `json:"value"`
	Front    int    `json:"front"`
	Begun    uint64 `json:"begun"` // evaluations before the restart

	// Annealing.
	Descents    int   `json:"descents"`
	Energy      exact `json:"energy"`
	Temperature exact `json:"temperature"`
	Moves       int   `json:"moves"` // moves at each temperature
	Epoch       int   `json:"epoch"`

	// Polishing also uses Energy.
	Polishing bool `json:"polishing"`
	Unit      int  `json:"unit"`
	Improved  bool `json:"improved"`

	Until     uint64       `json:"until"`               // node count at which branch and bound yields
	Placement []int        `json:"placement,omitempty"` // exhaustive: the next placement to score, by unit
	Proof     *proofCourse `json:"proof,omitempty"`     // the proof that this chain executes
}

// copyTo overwrites q with a deep copy.
func (p *course) copyTo(q *course) {
	placement := append(q.Placement[:0], p.Placement...)
	*q = *p
	q.Placement = placement
}

// markEvery is the minimum number of evaluations between two snapshots.
const markEvery = 4096

// kept is a snapshot of a chain. A chain that resumes from a snapshot continues exactly as if it had not stopped.
type kept struct {
	mu        sync.Mutex
	done      bool // a snapshot exists
	work      uint64
	pcg       rand.PCG
	tally     tally
	nearest   nearest
	publishAt uint64
	rounds    int
	best      []Candidate
	front     []Candidate
	changes   int
	place     []int32
	choice    []int16 // choices of the edges in routed
	weight    []float64
	ideal     []float64
	course    course
}

// mark stores a snapshot of the chain if the last one is old enough, and reports whether the chain must stop. Search
// methods call mark at each point from which the chain can resume.
func (c *chain) mark(ctx context.Context) bool {
	stop := c.stop(ctx)
	if c.kept != nil && (stop || !c.kept.done || c.tally.work() >= c.kept.work+markEvery) {
		c.snapshot()
	}
	return stop
}

// snapshot stores the state of the chain in kept.
func (c *chain) snapshot() {
	k := c.kept
	if c.proof != nil {
		c.course.Proof = c.proof.course()
	}
	rounds := c.exchange.count(c.number)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done, k.work, k.pcg, k.tally, k.nearest, k.publishAt, k.rounds = true, c.tally.work(), *c.pcg, c.tally, c.nearest,
		c.publishAt, rounds
	k.best = append(k.best[:0], c.pool.best...)
	k.front, k.changes = append(k.front[:0], c.pool.front.list...), c.pool.front.changes
	k.place, k.choice = append(k.place[:0], c.scorer.Place()...), k.choice[:0]
	for _, e := range c.routed {
		k.choice = append(k.choice, int16(c.scorer.Choice(e)))
	}
	k.weight, k.ideal = append(k.weight[:0], c.scalar.weight...), append(k.ideal[:0], c.scalar.ideal...)
	c.course.copyTo(&k.course)
}
