package sdf3

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Write writes an application graph, without an architecture. comment is the comment at the top of the file. It must
// not contain two consecutive hyphens.
func (f *File) Write(w io.Writer, comment string) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, `<?xml version="1.0" encoding="UTF-8"?>`)
	if comment != "" {
		fmt.Fprintf(b, "<!-- %s -->\n", comment)
	}
	fmt.Fprintln(b, `<sdf3 type="sdf" version="1.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`)
	fmt.Fprintln(b, `    xsi:noNamespaceSchemaLocation="http://www.es.ele.tue.nl/sdf3/xsd/sdf3-sdf.xsd">`)
	name := escape(f.Name)
	fmt.Fprintf(b, "  <applicationGraph name=\"%s\">\n    <sdf name=\"%s\" type=\"%s\">\n", name, name, name)
	g := f.Graph
	for _, a := range g.Actors {
		fmt.Fprintf(b, "      <actor name=\"%s\" type=\"%s\">\n", escape(a.Name), escape(a.Name))
		for _, p := range a.Ports {
			way := "in"
			if p.Out {
				way = "out"
			}
			fmt.Fprintf(b, "        <port name=\"%s\" type=\"%s\" rate=\"%d\"/>\n", escape(p.Name), way, p.Rate)
		}
		fmt.Fprintln(b, "      </actor>")
	}
	for _, c := range g.Channels {
		from, to := &g.Actors[c.From], &g.Actors[c.To]
		fmt.Fprintf(b, "      <channel name=\"%s\" srcActor=\"%s\" srcPort=\"%s\" dstActor=\"%s\" dstPort=\"%s\"",
			escape(c.Name), escape(from.Name), escape(from.Ports[c.FromPort].Name), escape(to.Name),
			escape(to.Ports[c.ToPort].Name))
		if c.Initial > 0 {
			fmt.Fprintf(b, " initialTokens=\"%d\"", c.Initial)
		}
		fmt.Fprintln(b, "/>")
	}
	fmt.Fprint(b, "    </sdf>\n    <sdfProperties>\n")
	g.writeProperties(b)
	fmt.Fprintln(b, "      <graphProperties>")
	if f.Throughput > 0 {
		fmt.Fprintf(b, "        <timeConstraints>\n          <throughput>%s</throughput>\n        </timeConstraints>\n",
			strconv.FormatFloat(f.Throughput, 'g', -1, 64))
	}
	fmt.Fprint(b, "      </graphProperties>\n    </sdfProperties>\n  </applicationGraph>\n</sdf3>\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("cannot write the SDF3 file: %w", err)
	}
	return nil
}

func (g *Graph) writeProperties(b io.Writer) {
	for _, a := range g.Actors {
		fmt.Fprintf(b, "      <actorProperties actor=\"%s\">\n", escape(a.Name))
		for _, p := range a.Processors {
			fmt.Fprintf(b, "        <processor type=\"%s\" default=\"%t\">\n          <executionTime time=\"%d\"/>\n"+
				"        </processor>\n", escape(p.Type), p.Default, p.Time)
		}
		fmt.Fprintln(b, "      </actorProperties>")
	}
	for _, c := range g.Channels {
		fmt.Fprintf(b, "      <channelProperties channel=\"%s\">\n", escape(c.Name))
		if c.Buffer > 0 {
			fmt.Fprintf(b, "        <bufferSize sz=\"%d\"/>\n", c.Buffer)
		}
		if c.TokenBits > 0 {
			fmt.Fprintf(b, "        <tokenSize sz=\"%d\"/>\n", c.TokenBits)
		}
		fmt.Fprintln(b, "      </channelProperties>")
	}
}
