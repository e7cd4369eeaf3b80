// Package sdf3 reads and writes static dataflow graphs in the XML format of the tool SDF3 (Stuijk, Geilen and Basten
// 2006, "SDF For Free"). It reads actors with their execution time on each type of processor, and ports with rates. It
// also reads channels with initial tokens, token sizes and buffer sizes, and the tiles of an architecture. It rejects
// cyclo-static graphs and graphs with scenarios.
//
// The package does not depend on X. Package flow/exchange converts the graphs to applications.
package sdf3

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// file checks the parsed file.
func (p *parser) file(x *fileXML) {
	switch {
	case x.XMLName.Local != "sdf3":
		p.failf(0, "the XML element is %s, expected sdf3", short(x.XMLName.Local))
		return
	case x.Type != "sdf":
		p.failf(0, "the type of the graph is %q, expected sdf: other graphs of SDF3 have no static counts",
			short(x.Type))
		return
	case x.Application != nil && x.Application.CSDF != nil:
		p.failf(0, "the graph is cyclo-static, expected sdf: the rates vary between firings")
		return
	case x.Application == nil && x.Platform == nil, x.Application != nil && x.Application.SDF == nil:
		p.failf(0, "the file contains no graph: the element sdf3 > applicationGraph > sdf is missing")
		return
	}
	if x.Application != nil {
		p.graph(x.Application)
	}
	if x.Platform != nil {
		p.platform(x.Platform)
	}
}

func (p *parser) graph(x *appXML) {
	p.out.Name = x.Name
	if p.out.Name == "" {
		p.out.Name = x.SDF.Name
	}
	if !p.fits(0, "the graph", p.out.Name) {
		return
	}
	if len(x.SDF.Actors) == 0 {
		p.failf(0, "the graph has no actors")
	}
	if n := len(x.SDF.Actors) + len(x.SDF.Channels); n > maxNodes {
		p.failf(0, "the graph has %d actors and channels, expected at most %d", n, maxNodes)
		return
	}
	p.out.Graph = &Graph{}
	actors := p.actors(x.SDF.Actors)
	p.times(x.Properties.Actors, actors)
	channels := p.channels(x.SDF.Channels, actors)
	if p.err != nil {
		return
	}
	for i := range x.Properties.Channels {
		line, c := x.Properties.Channels[i].line, &x.Properties.Channels[i].element
		at, ok := channels[c.Channel]
		if !ok {
			p.failf(line, "unknown channel %q", short(c.Channel))
			return
		}
		into := &p.out.Graph.Channels[at]
		into.TokenBits = p.number(line, "the token size of "+c.Channel, c.Token.Bits, span{0, 0, maxRate})
		into.Buffer = p.number(line, "the buffer size of "+c.Channel, c.Buffer.Size, span{0, 0, maxRate})
	}
	p.throughput(x.Properties.Graph.Throughput)
}

func (p *parser) throughput(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		p.failf(0, "the required throughput is %q, expected a number of at least 0", short(text))
		return
	}
	p.out.Throughput = v
}

// actors reads the actors and returns them by name.
func (p *parser) actors(list []lined[actorXML]) map[string]int {
	named := make(map[string]int, len(list))
	for i := range list {
		line, x := list[i].line, &list[i].element
		if _, ok := named[x.Name]; ok || x.Name == "" {
			p.failf(line, "the name of an actor is %q, expected a unique name", short(x.Name))
			return named
		}
		if !p.fits(line, "an actor", x.Name) {
			return named
		}
		named[x.Name] = len(p.out.Graph.Actors)
		a := Actor{Name: x.Name, Line: line}
		seen := make(map[string]bool, len(x.Ports))
		for _, port := range x.Ports {
			if seen[port.Name] {
				p.failf(line, "actor %s has two ports %q", x.Name, short(port.Name))
			}
			seen[port.Name] = true
			if !p.fits(line, "a port of actor "+x.Name, port.Name) {
				return named
			}
			if port.Type != "in" && port.Type != "out" {
				p.failf(line, "port %s of actor %s is of type %q, expected in or out", port.Name, x.Name,
					short(port.Type))
			}
			rate := p.number(line, "the rate of port "+port.Name+" of actor "+x.Name, port.Rate, span{1, 1, maxRate})
			a.Ports = append(a.Ports, Port{Name: port.Name, Out: port.Type == "out", Rate: rate})
		}
		p.out.Graph.Actors = append(p.out.Graph.Actors, a)
	}
	return named
}

// times reads the processors of actors, and the execution times of actors on these processors.
func (p *parser) times(list []lined[actorPropertiesXML], actors map[string]int) {
	for i := range list {
		line, x := list[i].line, &list[i].element
		at, ok := actors[x.Actor]
		if !ok {
			p.failf(line, "unknown actor %q", short(x.Actor))
			return
		}
		a := &p.out.Graph.Actors[at]
		for _, proc := range x.Processors {
			if !p.fits(line, "a processor of actor "+x.Actor, proc.Type) {
				return
			}
			t := p.number(line, "the execution time of "+x.Actor+" on "+short(proc.Type), proc.Time.Value,
				span{-1, 0, maxTime})
			if t < 0 {
				p.failf(line, "actor %s has no execution time on processor %q", x.Actor, short(proc.Type))
				return
			}
			a.Processors = append(a.Processors, Processor{Type: proc.Type, Default: proc.Default == "true", Time: t})
		}
	}
}

// channels reads the channels and returns them by name.
func (p *parser) channels(list []lined[channelXML], actors map[string]int) map[string]int {
	g := p.out.Graph
	named := make(map[string]int, len(list))
	used := make([][]bool, len(g.Actors))
	for a := range used {
		used[a] = make([]bool, len(g.Actors[a].Ports))
	}
	endpoint := func(line int, x *channelXML, actor, port string, out bool) (int, int) {
		a, ok := actors[actor]
		if !ok {
			p.failf(line, "channel %s: unknown actor %q", x.Name, short(actor))
			return 0, 0
		}
		for i, q := range g.Actors[a].Ports {
			if q.Name != port || q.Out != out {
				continue
			}
			if used[a][i] {
				p.failf(line, "channel %s: port %s of actor %s already has another channel", x.Name, port, actor)
			}
			used[a][i] = true
			return a, i
		}
		p.failf(line, "channel %s: actor %s has no port %q of type %s", x.Name, actor, short(port),
			map[bool]string{true: "out", false: "in"}[out])
		return 0, 0
	}
	for i := range list {
		line, x := list[i].line, &list[i].element
		if _, ok := named[x.Name]; ok || x.Name == "" {
			p.failf(line, "the name of a channel is %q, expected a unique name", short(x.Name))
			return named
		}
		if !p.fits(line, "a channel", x.Name) {
			return named
		}
		named[x.Name] = len(g.Channels)
		c := Channel{Name: x.Name, Line: line,
			Initial: p.number(line, "the number of initial tokens of "+x.Name, x.Initial, span{0, 0, maxRate})}
		c.From, c.FromPort = endpoint(line, x, x.From, x.Port, true)
		c.To, c.ToPort = endpoint(line, x, x.To, x.ToPort, false)
		if p.err != nil {
			return named
		}
		g.Channels = append(g.Channels, c)
	}
	return named
}

func (p *parser) platform(x *archXML) {
	named := make(map[string]int)
	if n := len(x.Tiles) + len(x.Connections); n > maxNodes {
		p.failf(0, "the architecture has %d tiles and connections, expected at most %d", n, maxNodes)
		return
	}
	for _, t := range x.Tiles {
		if _, ok := named[t.Name]; ok || t.Name == "" {
			p.failf(0, "the name of a tile is %q, expected a unique name", short(t.Name))
			return
		}
		if !p.fits(0, "a tile", t.Name) {
			return
		}
		if len(t.Processors) > 1 {
			p.failf(0, "tile %s has %d processors, expected at most one", t.Name, len(t.Processors))
			return
		}
		named[t.Name] = len(p.out.Tiles)
		tile := Tile{Name: t.Name}
		if len(t.Processors) == 1 {
			tile.Processor, tile.Type = t.Processors[0].Name, t.Processors[0].Type
			if !p.fits(0, "the processor of tile "+t.Name, tile.Type) {
				return
			}
		}
		p.out.Tiles = append(p.out.Tiles, tile)
	}
	for _, c := range x.Connections {
		from, ok := named[c.From]
		to, both := named[c.To]
		if !ok || !both {
			p.failf(0, "connection %s leads from tile %q to tile %q, but one of these tiles does not exist",
				short(c.Name),
				short(c.From), short(c.To))
			return
		}
		p.out.Connections = append(p.out.Connections, Connection{Name: c.Name, From: from, To: to,
			Delay: p.number(0, "the delay of connection "+short(c.Name), c.Delay, span{0, 0, maxTime})})
	}
}

// escape escapes a text for use in an XML attribute.
func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return "" // unreachable: a builder accepts all writes
	}
	return b.String()
}
