package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/internal/safetext"
)

// peers makes the connections of one host: a connection for each edge that leads to another host or comes from one.
// The writer's host connects to the reader's.
type peers struct {
	prog     *program.Description
	host     int
	secret   []byte
	out, in  []int // edges
	listener *net.TCPListener
}

func newPeers(g *greeting) *peers {
	p := &peers{prog: &g.Program, host: g.Host, secret: g.Secret}
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

// listen begins to listen for the edges that lead here, on the one address that the X files name and on no other
// interface. The address is "" where none leads here.
func (p *peers) listen() (string, error) {
	if len(p.in) == 0 {
		return "", nil
	}
	name := p.prog.Hosts[p.host].Address
	l, err := net.Listen("tcp", net.JoinHostPort(name, "0"))
	if err != nil {
		return "", fmt.Errorf("listening on %s, for edges from other hosts: %w; give an address of this host: "+
			`resource … (host="%s", address="…")`, name, err, p.prog.Hosts[p.host].Name)
	}
	tcp, ok := l.Addr().(*net.TCPAddr)
	if !ok || tcp.IP.IsUnspecified() {
		return "", errors.Join(fmt.Errorf("%s is every interface of the host; name one", name), l.Close())
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

// connect makes all connections. It takes no stranger for a peer, and ends as soon as one shows up.
func (p *peers) connect(ctx context.Context, addresses []string) (_ map[int]net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	type made struct {
		edge int
		conn net.Conn
		err  error
	}
	all := make(chan made, len(p.out)+len(p.in)+1)
	for _, e := range p.out {
		go func() {
			c, err := p.dial(ctx, e, addresses)
			all <- made{e, c, err}
		}()
	}
	if len(p.in) > 0 {
		go func() {
			for range p.in {
				e, c, err := p.accept(ctx)
				all <- made{e, c, err}
				if err != nil {
					return
				}
			}
		}()
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
		m := <-all
		if m.err != nil {
			return nil, m.err
		}
		if conns[m.edge] != nil {
			return nil, errors.Join(fmt.Errorf("edge %s was connected twice", p.prog.Edges[m.edge].Name),
				m.conn.Close())
		}
		conns[m.edge] = m.conn
	}
	return conns, nil
}

// dial connects to the host that an edge leads to.
func (p *peers) dial(ctx context.Context, e int, addresses []string) (net.Conn, error) {
	to := p.prog.Processes[p.prog.Edges[e].Way.InCarrier].Host
	fail := func(err error) (net.Conn, error) {
		return nil, fmt.Errorf("connecting edge %s to host %s: %w", p.prog.Edges[e].Name, p.prog.Hosts[to].Name, err)
	}
	if to >= len(addresses) || addresses[to] == "" {
		return fail(errors.New("it is not known where it listens"))
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

// accept takes one connection of an edge that leads here.
func (p *peers) accept(ctx context.Context) (int, net.Conn, error) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(connectPatience)
	}
	if err := p.listener.SetDeadline(until); err != nil {
		return 0, nil, err
	}
	c, err := p.listener.Accept()
	if err != nil {
		return 0, nil, fmt.Errorf("waiting for the other hosts to connect: %w", err)
	}
	e, err := wire.Accept(c, p.secret)
	if err != nil {
		return 0, nil, errors.Join(fmt.Errorf("%s connected to %s, which waits for edges from other hosts: %w",
			safetext.Line(c.RemoteAddr().String()), p.listener.Addr(), err), c.Close())
	}
	for _, in := range p.in {
		if in == e {
			return e, c, nil
		}
	}
	return 0, nil, errors.Join(fmt.Errorf("%s offers edge %d, which does not lead here",
		safetext.Line(c.RemoteAddr().String()), e), c.Close())
}
