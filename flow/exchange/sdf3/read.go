package sdf3

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// These constants limit the memory that a file can use.
const (
	MaxBytes = 64 << 20
	maxNodes = 100_000
	maxName  = 200
	maxRate  = 1<<31 - 1
	maxTime  = 1_000_000_000_000_000
)

// Read reads an SDF3 file. Errors contain the line number.
func Read(name string, r io.Reader) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(text) > MaxBytes {
		return nil, faults.WrongSDF3File.Errorf("%s is larger than %d MiB", name, MaxBytes>>20)
	}
	p := parser{name: name}
	d := xml.NewDecoder(bytes.NewReader(text))
	var x fileXML
	err = d.Decode(&x)
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &syntax):
		return nil, faults.WrongSDF3File.Errorf("%s:%d: not well-formed XML: %s", name, syntax.Line, syntax.Msg)
	case errors.Is(err, io.EOF):
		return nil, faults.WrongSDF3File.Errorf("%s contains no XML", name)
	default:
		line, _ := d.InputPos()
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	p.file(&x)
	if p.err != nil {
		return nil, p.err
	}
	return &p.out, nil
}

// These are the XML elements of the format.
type (
	fileXML struct {
		XMLName     xml.Name
		Type        string   `xml:"type,attr"`
		Application *appXML  `xml:"applicationGraph"`
		Platform    *archXML `xml:"architectureGraph"`
	}
	appXML struct {
		Name       string    `xml:"name,attr"`
		SDF        *graphXML `xml:"sdf"`
		CSDF       *struct{} `xml:"csdf"`
		Properties struct {
			Actors   []lined[actorPropertiesXML]   `xml:"actorProperties"`
			Channels []lined[channelPropertiesXML] `xml:"channelProperties"`
			Graph    struct {
				Throughput string `xml:"timeConstraints>throughput"`
			} `xml:"graphProperties"`
		} `xml:"sdfProperties"`
	}
	graphXML struct {
		Name     string              `xml:"name,attr"`
		Actors   []lined[actorXML]   `xml:"actor"`
		Channels []lined[channelXML] `xml:"channel"`
	}
	actorXML struct {
		Name  string `xml:"name,attr"`
		Ports []struct {
			Name string `xml:"name,attr"`
			Type string `xml:"type,attr"`
			Rate string `xml:"rate,attr"`
		} `xml:"port"`
	}
	channelXML struct {
		Name    string `xml:"name,attr"`
		From    string `xml:"srcActor,attr"`
		Port    string `xml:"srcPort,attr"`
		To      string `xml:"dstActor,attr"`
		ToPort  string `xml:"dstPort,attr"`
		Initial string `xml:"initialTokens,attr"`
	}
	actorPropertiesXML struct {
		Actor      string `xml:"actor,attr"`
		Processors []struct {
			Type    string `xml:"type,attr"`
			Default string `xml:"default,attr"`
			Time    struct {
				Value string `xml:"time,attr"`
			} `xml:"executionTime"`
		} `xml:"processor"`
	}
	channelPropertiesXML struct {
		Channel string `xml:"channel,attr"`
		Token   struct {
			Bits string `xml:"sz,attr"`
		} `xml:"tokenSize"`
		Buffer struct {
			Size string `xml:"sz,attr"`
		} `xml:"bufferSize"`
	}
	archXML struct {
		Name  string `xml:"name,attr"`
		Tiles []struct {
			Name       string `xml:"name,attr"`
			Processors []struct {
				Name string `xml:"name,attr"`
				Type string `xml:"type,attr"`
			} `xml:"processor"`
		} `xml:"tile"`
		Connections []struct {
			Name  string `xml:"name,attr"`
			From  string `xml:"srcTile,attr"`
			To    string `xml:"dstTile,attr"`
			Delay string `xml:"delay,attr"`
		} `xml:"connection"`
	}
)

// lined is an XML element with the line of its start tag.
type lined[T any] struct {
	line    int
	element T
}

// UnmarshalXML decodes the element and stores its line.
func (x *lined[T]) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	x.line, _ = d.InputPos()
	return d.DecodeElement(&x.element, &start)
}

// parser converts elements to a graph.
type parser struct {
	name string
	out  File
	err  error
}

func (p *parser) failf(line int, format string, args ...any) {
	if p.err != nil {
		return
	}
	place := p.name
	if line > 0 {
		place = fmt.Sprintf("%s:%d", p.name, line)
	}
	p.err = faults.WrongSDF3File.Errorf("%s: %s", place, fmt.Sprintf(format, args...))
}

// span is the valid range of a number, and its default value.
type span struct{ absent, min, max int64 }

// number reads an integer.
func (p *parser) number(line int, what, text string, in span) int64 {
	text = strings.TrimSpace(text)
	if text == "" {
		return in.absent
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < in.min || n > in.max {
		p.failf(line, "%s is %q, expected a whole number from %d to %d", what, short(text), in.min, in.max)
		return in.absent
	}
	return n
}

// fits reports whether a name is short enough for X, and stores an error otherwise.
func (p *parser) fits(line int, what, name string) bool {
	if len(name) > maxName {
		p.failf(line, "the name of %s has %d characters, expected at most %d: %q", what, len(name), maxName,
			short(name))
	}
	return len(name) <= maxName
}

// short abbreviates a text of more than 60 bytes.
func short(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}
