package mapper

import (
	"context"
	"sync"
)

// exchange shares the best mappings among the chains of a search. Each chain publishes its best mapping after every
// exchangeEvery evaluations. It then reads the mappings that the other chains published one round earlier, and waits
// for chains that are further behind. Therefore the result depends on the seed and the number of threads, but not on
// timing.
type exchange struct {
	mu     sync.Mutex
	change *sync.Cond
	chains []published
}

// published contains the published mappings and the status of one chain.
type published struct {
	rounds []*Candidate // best mappings from round first on; nil before the chain's first mapping
	first  int
	ended  bool // the chain ended after its last round
	closed bool // the chain proved that no mapping can be better
	broken bool // the chain was interrupted
}

func (p *published) next() int { return p.first + len(p.rounds) }

// exchangeEvery is the number of evaluations between two publications.
const exchangeEvery = 1 << 16

// nodeMoves is the approximate number of moves of annealing in the time of one node of branch and bound. In an
// exchange, each node counts as nodeMoves evaluations, so that annealing chains do not wait for the chain with the
// proof.
const nodeMoves = 4

func newExchange(chains int) *exchange {
	x := &exchange{chains: make([]published, chains)}
	x.change = sync.NewCond(&x.mu)
	return x
}

// wake wakes all waiting chains, so that they check the context.
func (x *exchange) wake() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.change.Broadcast()
}

// publish adds the best mapping of a chain as its next round. It reports whether another chain had proven, one round
// earlier, that no mapping can be better.
func (x *exchange) publish(ctx context.Context, chain int, best *Candidate) (closed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	own := &x.chains[chain]
	own.rounds = append(own.rounds, best)
	x.change.Broadcast()
	for other := range x.chains {
		if other == chain || !x.await(ctx, other, own.next()-2) {
			continue
		}
		p := &x.chains[other]
		closed = closed || p.closed && p.next()-1 <= own.next()-2
	}
	return closed
}

// await waits until a chain has published a round or ended. It returns false if the chain was interrupted, or if ctx is
// done first.
func (x *exchange) await(ctx context.Context, chain, round int) bool {
	p := &x.chains[chain]
	for round >= 0 && p.next() <= round && !p.ended && !p.broken && ctx.Err() == nil {
		x.change.Wait()
	}
	return round >= 0 && (p.next() > round || p.ended)
}

// markEnded marks a chain as ended, and publishes its best mapping for all later rounds. closed is set if the chain
// proved that no mapping can be better.
func (x *exchange) markEnded(chain int, best *Candidate, closed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &x.chains[chain]
	p.rounds, p.ended, p.closed = append(p.rounds, best), true, closed
	x.change.Broadcast()
}

// interrupt marks a chain as interrupted. The other chains then stop waiting for its results.
func (x *exchange) interrupt(chain int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.chains[chain].broken = true
	x.change.Broadcast()
}

// best returns the best mapping of the other chains in the round before the chain's last round; nil if there is none.
// ok is false if the search was interrupted.
func (x *exchange) best(ctx context.Context, chain int) (best *Candidate, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	round := x.chains[chain].next() - 2
	if round < 0 {
		return nil, true
	}
	for other := range x.chains {
		if other == chain {
			continue
		}
		if !x.await(ctx, other, round) {
			return nil, false
		}
		p := &x.chains[other]
		c := p.rounds[min(round, p.next()-1)-p.first]
		if c != nil && (best == nil || better(c, best)) {
			best = c
		}
	}
	return best, true
}

// count returns the number of rounds that a chain has published.
func (x *exchange) count(chain int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.chains[chain].next()
}

// window returns the stored rounds of a chain that precede a given round.
func (x *exchange) window(chain, before int) (rounds []*Candidate, first int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &x.chains[chain]
	return append([]*Candidate(nil), p.rounds[:max(0, before-p.first)]...), p.first
}

// forget drops the rounds before a given round.
func (x *exchange) forget(before int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.chains {
		p := &x.chains[i]
		if n := min(before-p.first, len(p.rounds)-1); n > 0 {
			p.rounds, p.first = append([]*Candidate(nil), p.rounds[n:]...), p.first+n
		}
	}
}
