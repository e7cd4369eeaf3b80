package mapper

import "sync"

// exchange tells the chains of a search the best of the others. Each publishes its best
// whenever it has scored exchangeEvery more mappings, and reads what the others had published
// one round before its own: waiting for those that are behind by more than that. What a chain
// learns therefore depends on how many mappings were scored and not on how fast, and the
// same seed and number of threads give the same answer.
type exchange struct {
	mu     sync.Mutex
	change *sync.Cond
	rounds [][]*Candidate // of each chain; nil entries before its first mapping
	ended  []bool
}

// exchangeEvery is how many mappings a chain scores between two publications.
const exchangeEvery = 1 << 16

func newExchange(chains int) *exchange {
	x := &exchange{rounds: make([][]*Candidate, chains), ended: make([]bool, chains)}
	x.change = sync.NewCond(&x.mu)
	return x
}

// publish tells the others the best of a chain after one more round.
func (x *exchange) publish(chain int, best *Candidate) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rounds[chain] = append(x.rounds[chain], best)
	x.change.Broadcast()
}

// end tells that a chain publishes no more: its best stays that.
func (x *exchange) end(chain int, best *Candidate) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rounds[chain] = append(x.rounds[chain], best)
	x.ended[chain] = true
	x.change.Broadcast()
}

// best is the best of the other chains one round before a chain's own; nil where there is
// none.
func (x *exchange) best(chain int) *Candidate {
	x.mu.Lock()
	defer x.mu.Unlock()
	round := len(x.rounds[chain]) - 2
	if round < 0 {
		return nil
	}
	var best *Candidate
	for other := range x.rounds {
		if other == chain {
			continue
		}
		for len(x.rounds[other]) <= round && !x.ended[other] {
			x.change.Wait()
		}
		c := x.rounds[other][min(round, len(x.rounds[other])-1)]
		if c != nil && (best == nil || better(c, best)) {
			best = c
		}
	}
	return best
}
