package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"xopt/deploy/wire"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// door accepts connections from the other hosts of a run, and refuses all other callers. Any machine on the network can
// connect. Therefore door authenticates each caller in a separate goroutine, for at most wire.Patience each, and at
// most maxCallers at a time.
type door struct {
	peers *peers

	lock    sync.Mutex
	callers []net.Conn // not yet identified, in order of arrival
	refused wire.Strangers
}

// Limits on the resources that unauthenticated callers can use.
const (
	maxCallers = 64 // a further caller replaces the oldest caller
	maxNamed   = 4  // maximum number of addresses of refused callers to report
)

func newDoor(p *peers) *door { return &door{peers: p} }

// open accepts connections until the context ends. It calls deliver with each connection of an edge that leads to this
// host.
func (d *door) open(ctx context.Context, deliver func(connection)) {
	stop := context.AfterFunc(ctx, func() { // Accept ignores contexts
		_ = d.peers.listener.SetDeadline(time.Now())
		d.lock.Lock()
		defer d.lock.Unlock()
		for _, c := range d.callers {
			_ = c.Close() // no data have been sent on it
		}
	})
	defer stop()
	for {
		c, err := d.peers.listener.Accept()
		if err != nil {
			if ctx.Err() == nil {
				deliver(connection{err: fmt.Errorf("waiting for the other hosts to connect: %w", err)})
			}
			return
		}
		d.lock.Lock()
		if len(d.callers) == maxCallers {
			_ = d.callers[0].Close() // the goroutine of this caller reports it
		}
		d.callers = append(d.callers, c)
		d.lock.Unlock()
		go d.ask(c, deliver)
	}
}

// ask authenticates a caller, and determines the edge of its connection.
func (d *door) ask(c net.Conn, deliver func(connection)) {
	e, err := wire.Accept(c, d.peers.secret)
	from := safetext.Line(c.RemoteAddr().String())
	d.lock.Lock()
	d.callers = slices.DeleteFunc(d.callers, func(x net.Conn) bool { return x == c })
	if err != nil {
		d.refused.Count++
		if len(d.refused.From) < maxNamed {
			d.refused.From = append(d.refused.From, from)
		}
	}
	d.lock.Unlock()
	switch {
	case err != nil:
		_ = c.Close() // a refused caller receives no answer
	case !slices.Contains(d.peers.in, e):
		err := fmt.Errorf("%s offers edge %d, but this edge does not lead to this host", from, e)
		deliver(connection{err: errors.Join(err, c.Close())})
	default:
		deliver(connection{edge: e, conn: c})
	}
}

// strangers returns the refused callers.
func (d *door) strangers() wire.Strangers {
	d.lock.Lock()
	defer d.lock.Unlock()
	return wire.Strangers{Count: d.refused.Count, From: slices.Clone(d.refused.From)}
}

// why adds a reason to a timeout of the connections from other hosts.
func (d *door) why(err error) error {
	err = fmt.Errorf("waiting for the other hosts to connect: %w (check that the hosts can reach each other)", err)
	if refused := d.strangers(); refused.Count > 0 {
		err = fmt.Errorf("%w; %s", err, strangersText(&refused))
	}
	return err
}

// strangersText describes the refused connections.
func strangersText(s *wire.Strangers) string {
	var from []string
	for _, a := range s.From[:min(len(s.From), maxNamed)] {
		from = append(from, safetext.Line(a))
	}
	text := units.Counted(s.Count, "connection", "connections") + " from " + strings.Join(from, ", ")
	if s.Count > len(from) {
		text += " and others"
	}
	return text + " did not have the secret of this run and received nothing"
}
