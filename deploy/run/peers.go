package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/wire"
)

// peers makes the connections of one host, one for each edge that leads to or from another host. The writer's host
// connects to the reader's host.
type peers struct {
	prog     *program.Description
	host     int
	secret   []byte
	out, in  []int // edges
	listener *net.TCPListener
	patience time.Duration // timeout for all connections
}

func newPeers(g *greeting) *peers {
	p := &peers{prog: &g.Program, host: g.Host, secret: g.Secret, patience: connectPatience}
	for e := range p.prog.Edges {
		w := &p.prog.Edges[e].Way
		switch {
		case !w.Crosses():
		case p.prog.Processes[w.OutCarrier].Host == p.host:
			p.out = append(p.out, e)
		case p.prog.Processes[w.InCarrier].Host == p.host:
			p.in = append(p.in, e)
		}
	}
	return p
}

// listen starts to listen for the edges that lead to this host, only on the address that the X files name. The address
// is "" if there are no such edges.
func (p *peers) listen() (string, error) {
	if len(p.in) == 0 {
		return "", nil
	}
	name := p.prog.Hosts[p.host].Address
	l, err := net.Listen("tcp", net.JoinHostPort(name, "0"))
	if err != nil {
		return "", faults.CannotListen.Errorf("listening on %s, for edges from other hosts: %w (set an address of "+
			"this host: "+`resource … (host="%s", address="…"))`, name, err, p.prog.Hosts[p.host].Name)
	}
	tcp, ok := l.Addr().(*net.TCPAddr)
	if !ok || tcp.IP.IsUnspecified() {
		return "", errors.Join(faults.WrongAddress.Errorf("%s means every interface of the host (set the "+
			"address of one interface)", name), l.Close())
	}
	p.listener = l.(*net.TCPListener)
	_, port, err := net.SplitHostPort(l.Addr().String())
	return net.JoinHostPort(name, port), err
}

// close stops listening.
func (p *peers) close() {
	if p.listener != nil {
		_ = p.listener.Close() // nothing was written
	}
}

// connection is the connection of an edge, or the reason why there is none.
type connection struct {
	edge int
	conn net.Conn
	err  error
}

// connect makes all connections within the timeout. It refuses and reports callers that cannot prove that they have the
// secret of the run.
func (p *peers) connect(ctx context.Context, addresses []string) (_ map[int]net.Conn, refused wire.Strangers,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	all := make(chan connection)
	deliver := func(c connection) {
		select {
		case all <- c:
		case <-ctx.Done():
			if c.conn != nil {
				_ = c.conn.Close() // no longer needed
			}
		}
	}
	for _, e := range p.out {
		go func() {
			c, err := p.dial(ctx, e, addresses)
			deliver(connection{e, c, err})
		}()
	}
	door := newDoor(p)
	if len(p.in) > 0 {
		go door.open(ctx, deliver)
	}
	conns := make(map[int]net.Conn)
	defer func() {
		if err != nil {
			for _, c := range conns {
				_ = c.Close() // nothing was written
			}
		}
	}()
	for len(conns) < len(p.out)+len(p.in) {
		var c connection
		select {
		case c = <-all:
		case <-ctx.Done():
			c.err = door.why(ctx.Err())
		}
		if c.err != nil {
			return nil, refused, c.err
		}
		if conns[c.edge] != nil {
			return nil, refused, errors.Join(fmt.Errorf("edge %s was connected twice", p.prog.Edges[c.edge].Name),
				c.conn.Close())
		}
		conns[c.edge] = c.conn
	}
	return conns, door.strangers(), nil
}

// dial connects to the host that an edge leads to.
func (p *peers) dial(ctx context.Context, e int, addresses []string) (net.Conn, error) {
	to := p.prog.Processes[p.prog.Edges[e].Way.InCarrier].Host
	fail := func(err error) (net.Conn, error) {
		return nil, fmt.Errorf("connecting edge %s to host %s: %w", p.prog.Edges[e].Name, p.prog.Hosts[to].Name, err)
	}
	if to >= len(addresses) || addresses[to] == "" {
		return fail(errors.New("the address of this host is unknown"))
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addresses[to])
	if err != nil {
		return fail(err)
	}
	if err := wire.Offer(c, p.secret, e); err != nil {
		return fail(errors.Join(fmt.Errorf("%s: %w", addresses[to], err), c.Close()))
	}
	return c, nil
}
