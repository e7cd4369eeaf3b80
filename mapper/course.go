package mapper

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
)

// exact is a number that a text holds to the last bit, infinity included.
type exact float64

// MarshalText writes it.
func (x exact) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(x), 'g', -1, 64), nil
}

// UnmarshalText reads it.
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

func floats(list []exact) []float64 {
	var out []float64
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// stage is what a chain does.
type stage uint8

const (
	stageList   stage = iota // the first mapping, by list scheduling
	stagePolish              // of the first list
	stageBegin               // of a restart
	stageCool                // annealing
	stageFinish              // the restart's last polish
	stageProve               // branch and bound
)

// course is where a chain is in its method: all that it needs, beside the mapping of its
// scorer, its incumbent pool, its tally and its random numbers, to go on from a mark. It holds plain
// data, which goes into a State.
type course struct {
	Stage    stage  `json:"stage"`
	Restarts int    `json:"restarts"` // so far
	Idle     int    `json:"idle"`     // restarts, or tries, in a row that brought nothing better
	Settled  bool   `json:"settled"`  // so many that a chain on its own would end
	Best     exact  `json:"best"`     // throughput and value when the restart began
	Value    exact  `json:"value"`
	Front    int    `json:"front"`
	Begun    uint64 `json:"begun"` // evaluations then

	// Annealing.
	Descents    int   `json:"descents"`
	Energy      exact `json:"energy"`
	Temperature exact `json:"temperature"`
	Moves       int   `json:"moves"` // at each temperature
	Epoch       int   `json:"epoch"`

	// Polishing: Energy, and
	Polishing bool `json:"polishing"`
	Unit      int  `json:"unit"`
	Improved  bool `json:"improved"`

	Until     uint64       `json:"until"`               // nodes at which branch and bound ends its turn
	Placement []int        `json:"placement,omitempty"` // exhaustive: of each unit, the next to be scored
	Proof     *proofCourse `json:"proof,omitempty"`     // of the proof that this chain makes
}

// copyTo overwrites another course and shares nothing with it.
func (p *course) copyTo(q *course) {
	placement := append(q.Placement[:0], p.Placement...)
	*q = *p
	q.Placement = placement
}

// markEvery is how many evaluations lie at least between two marks that are kept.
const markEvery = 4096

// kept is a chain at a mark: quiescent, so that it can go on from there as if it had never
// been stopped.
type kept struct {
	mu        sync.Mutex
	done      bool // there is one
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
	choice    []int16 // of the edges that may have one
	weight    []float64
	ideal     []float64
	course    course
}

// mark is called where a chain could go on later from what its course holds. It reports
// whether the chain has to stop.
func (c *chain) mark(ctx context.Context) bool {
	stop := c.stop(ctx)
	if c.kept != nil && (stop || !c.kept.done || c.tally.work() >= c.kept.work+markEvery) {
		c.snapshot()
	}
	return stop
}

// snapshot notes where the chain is.
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
