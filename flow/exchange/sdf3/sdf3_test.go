package sdf3

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// sample contains the typical features of SDF3 files: self-loops, several processors, token and buffer sizes, a
// required throughput, and an architecture.
const sample = `<?xml version="1.0" encoding="UTF-8"?>
<sdf3 type="sdf" version="1.0">
  <applicationGraph name='sample'>
    <sdf name="sample" type="Sample">
      <actor name="a" type="A">
        <port name="y" type="out" rate="2"/>
        <port name="l" type="in" rate="1"/><port name="m" type="out" rate="1"/>
      </actor>
      <actor name="b" type="B">
        <port name="x" type="in" rate="3"/>
      </actor>
      <channel name="ab" srcActor="a" srcPort="y" dstActor="b" dstPort="x" initialTokens='4'/>
      <channel name="aa" srcActor="a" srcPort="m" dstActor="a" dstPort="l" initialTokens="1"/>
    </sdf>
    <sdfProperties>
      <actorProperties actor="a">
        <processor type="arm" default="true"><executionTime time="7"/></processor>
        <processor type="dsp"><executionTime time="3"/></processor>
      </actorProperties>
      <actorProperties actor="b">
        <processor type="arm" default="true"><executionTime time="0"/></processor>
      </actorProperties>
      <channelProperties channel="ab"><bufferSize sz="9" src="9"/><tokenSize sz="32"/></channelProperties>
      <channelProperties channel="aa"/>
      <graphProperties><timeConstraints><throughput>0.25</throughput></timeConstraints></graphProperties>
    </sdfProperties>
  </applicationGraph>
  <architectureGraph name="arch">
    <tile name="t0"><processor name="proc" type="arm"/></tile>
    <tile name="t1"/>
    <connection name="c" srcTile="t0" dstTile="t1" delay="3"/>
  </architectureGraph>
</sdf3>
`

func TestRead(t *testing.T) {
	f, err := Read("sample.xml", strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Name: "sample", Throughput: 0.25,
		Graph: &Graph{
			Actors: []Actor{
				{Name: "a", Line: 5, Ports: []Port{{"y", true, 2}, {"l", false, 1}, {"m", true, 1}},
					Processors: []Processor{{"arm", true, 7}, {"dsp", false, 3}}},
				{Name: "b", Line: 9, Ports: []Port{{"x", false, 3}}, Processors: []Processor{{"arm", true, 0}}},
			},
			Channels: []Channel{
				{Name: "ab", From: 0, To: 1, Initial: 4, TokenBits: 32, Buffer: 9, Line: 12},
				{Name: "aa", FromPort: 2, ToPort: 1, Initial: 1, Line: 13},
			},
		},
		Tiles:       []Tile{{"t0", "proc", "arm"}, {"t1", "", ""}},
		Connections: []Connection{{"c", 0, 1, 3}},
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got %+v\ngraph %+v\nwant %+v\ngraph %+v", f, f.Graph, want, want.Graph)
	}
}

func TestReadRefuses(t *testing.T) {
	replace := func(from, to string) string { return strings.Replace(sample, from, to, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "bad.xml contains no XML"},
		"text":        {"hello", "bad.xml contains no XML"},
		"cut":         {sample[:700], "not well-formed XML"},
		"other":       {"<html/>", "the XML element is html, expected sdf3"},
		"type":        {replace(`type="sdf"`, `type="csdf"`), `the type of the graph is "csdf", expected sdf`},
		"no graph":    {`<sdf3 type="sdf"/>`, "the file contains no graph"},
		"rate":        {replace(`rate="3"`, `rate="1,2"`), `bad.xml:9: the rate of port x of actor b is "1,2"`},
		"zero rate":   {replace(`rate="3"`, `rate="0"`), "expected a whole number from 1 to"},
		"huge rate":   {replace(`rate="3"`, `rate="99999999999999999999"`), "expected a whole number from 1 to"},
		"long number": {replace(`rate="3"`, `rate="`+strings.Repeat("9", 9999)+`"`), "…"},
		"huge time":   {replace(`time="7"`, `time="1e99"`), `the execution time of a on arm is "1e99"`},
		"tokens": {replace(`initialTokens='4'`, `initialTokens='-1'`),
			"bad.xml:12: the number of initial tokens"},
		"no time":        {replace(`<executionTime time="7"/>`, ``), "actor a has no execution time on processor"},
		"two actors":     {replace(`name="b" type="B"`, `name="a" type="B"`), `bad.xml:9: the name of an actor is "a"`},
		"no actor":       {replace(`dstActor="b"`, `dstActor="q"`), `channel ab: unknown actor "q"`},
		"no port":        {replace(`dstPort="x"`, `dstPort="y"`), `channel ab: actor b has no port "y" of type in`},
		"port twice":     {replace(`srcPort="m"`, `srcPort="y"`), "port y of actor a already has another channel"},
		"unknown entity": {replace(`name="b"`, `name="&lol;"`), "not well-formed XML"},
		"entity bomb": {`<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` +
			`<sdf3 type="sdf"><applicationGraph name="&b;"/></sdf3>`, "not well-formed XML"},
		"deep":       {strings.Repeat("<a>", 1_000_000), "bad.xml"},
		"throughput": {replace("0.25", "NaN"), `the required throughput is "NaN"`},
		"connection": {replace(`dstTile="t1"`, `dstTile="t9"`), "one of these tiles does not exist"},
		"charset":    {replace("UTF-8", "latin1"), "latin1"},
	} {
		_, err := Read("bad.xml", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
			len(err.Error()) > 400 {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// FuzzRead: writing and reading an accepted file is the identity.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := Read("fuzz.xml", bytes.NewReader(text))
		if err != nil || first.Graph == nil {
			return
		}
		var b bytes.Buffer
		if err := first.Write(&b, "again"); err != nil {
			t.Fatal(err)
		}
		second, err := Read("again.xml", &b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		first.Tiles, first.Connections = nil, nil
		for _, x := range []*File{first, second} {
			for i := range x.Graph.Actors {
				x.Graph.Actors[i].Line = 0
			}
			for i := range x.Graph.Channels {
				x.Graph.Channels[i].Line = 0
			}
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%+v\n%+v", first.Graph, second.Graph)
		}
	})
}
