package trace_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"xopt/deploy/trace"
)

// schema is the part of Perfetto's published schema that a trace here may use, message by message, with the numbers
// and types of its files (protos/perfetto/trace/trace_packet.proto, track_event/track_event.proto,
// track_descriptor.proto, counter_descriptor.proto, debug_annotation.proto, interned_data/interned_data.proto).
const schema = `
Trace packet+ 1 TracePacket
TracePacket timestamp 8 uint64
TracePacket trusted_packet_sequence_id 10 uint32
TracePacket track_event 11 TrackEvent
TracePacket interned_data 12 InternedData
TracePacket sequence_flags 13 uint32
TracePacket track_descriptor 60 TrackDescriptor
TrackDescriptor uuid 1 uint64
TrackDescriptor name 2 string
TrackDescriptor parent_uuid 5 uint64
TrackDescriptor counter 8 CounterDescriptor
CounterDescriptor unit 3 int32
InternedData event_names+ 2 EventName
InternedData debug_annotation_names+ 3 DebugAnnotationName
EventName iid 1 uint64
EventName name 2 string
DebugAnnotationName iid 1 uint64
DebugAnnotationName name 2 string
TrackEvent debug_annotations+ 4 DebugAnnotation
TrackEvent type 9 int32
TrackEvent name_iid 10 uint64
TrackEvent track_uuid 11 uint64
TrackEvent counter_value 30 int64
TrackEvent flow_ids+ 47 fixed64
TrackEvent terminating_flow_ids+ 48 fixed64
DebugAnnotation name_iid 1 uint64
DebugAnnotation uint_value 3 uint64
`

// decode reads a trace with the decoder of Google's library, by the schema; a field that the schema does not have is an
// error.
func decode(t *testing.T, text []byte) protoreflect.Message {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("trace.proto"), Package: proto.String("p"),
		Syntax: proto.String("proto2")}
	messages := make(map[string]*descriptorpb.DescriptorProto)
	kinds := map[string]descriptorpb.FieldDescriptorProto_Type{"uint64": 4, "uint32": 13, "int32": 5, "int64": 3,
		"fixed64": 6, "string": 9}
	for _, line := range strings.Split(strings.TrimSpace(schema), "\n") {
		var message, field, kind string
		var number int32
		if _, err := fmt.Sscan(line, &message, &field, &number, &kind); err != nil {
			t.Fatal(err)
		}
		if messages[message] == nil {
			messages[message] = &descriptorpb.DescriptorProto{Name: proto.String(message)}
			file.MessageType = append(file.MessageType, messages[message])
		}
		name, repeated := strings.CutSuffix(field, "+")
		f := &descriptorpb.FieldDescriptorProto{Name: proto.String(name), Number: proto.Int32(number),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
		if repeated {
			f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}
		if k, ok := kinds[kind]; ok {
			f.Type = k.Enum()
		} else {
			f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".p."+kind)
		}
		messages[message].Field = append(messages[message].Field, f)
	}
	d, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(d.Messages().ByName("Trace"))
	if err := proto.Unmarshal(text, m); err != nil {
		t.Fatal(err)
	}
	checkKnownFields(t, m)
	return m
}

// checkKnownFields looks for fields that the schema does not have.
func checkKnownFields(t *testing.T, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("%s has fields that the schema does not have: %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				checkKnownFields(t, v.List().Get(i).Message())
			}
		default:
			checkKnownFields(t, v.Message())
		}
		return true
	})
}

// get returns a field of a message by its name.
func get(m protoreflect.Message, name string) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

// TestPerfetto checks a trace with an independent decoder and the published schema. It has tracks for resources,
// kernels and queues, instants with the flow of their element from send to consumption, slices that begin and end in
// turn, and counters that end at 0.
func TestPerfetto(t *testing.T) {
	h := &trace.Header{Application: "top", Origin: "simulated", Series: append(two(), trace.Series{Name: "top.e2",
		From: trace.Port{Kernel: "top.sum", Name: "y0"}, To: trace.Port{Kernel: "top.store", Name: "x0"}}),
		Places: []trace.Place{{Kernel: "top.gen1", Resource: "proc[1]"}, {Kernel: "top.sum", Resource: "proc[2]"}}}
	list := []trace.Event{{Time: 0, Kind: trace.Point, Series: 1}, {Time: 5 * us, Kind: trace.Out, Bytes: 4},
		{Time: 10 * us, Kind: trace.Available, Bytes: 4}, {Time: 10 * us, Kind: trace.In, Bytes: 4},
		{Time: 11 * us, Kind: trace.Out, Bytes: 4, Index: 1},
		{Time: 12 * us, Kind: trace.Available, Bytes: 4, Index: 1},
		{Time: 17 * us, Kind: trace.Out, Series: 2}, {Time: 17 * us, Kind: trace.Available, Series: 2},
		{Time: 18 * us, Kind: trace.In, Series: 2}, {Time: 19 * us, Kind: trace.In, Index: 1}}
	var text bytes.Buffer
	if err := trace.WritePerfetto(&text, trace.TableOf(t, h, list)); err != nil {
		t.Fatal(err)
	}
	packets := get(decode(t, text.Bytes()), "packet").List()
	tracks, names := make(map[uint64]string), make(map[uint64]string)
	var got []string
	for i := range packets.Len() {
		p := packets.Get(i).Message()
		if d := get(p, "track_descriptor").Message(); d.IsValid() {
			id, above := get(d, "uuid").Uint(), get(d, "parent_uuid").Uint()
			name := get(d, "name").String()
			if tracks[id] != "" || above != 0 && tracks[above] == "" {
				t.Errorf("track %d, %s, is there twice, or comes before the one above it, %d", id, name, above)
			}
			tracks[id] = strings.TrimPrefix(tracks[above]+"/"+name, "/")
		}
		if d := get(p, "interned_data").Message(); d.IsValid() {
			for j := range get(d, "event_names").List().Len() {
				n := get(d, "event_names").List().Get(j).Message()
				names[get(n, "iid").Uint()] = get(n, "name").String()
			}
		}
		e := get(p, "track_event").Message()
		if !e.IsValid() {
			continue
		}
		track := tracks[get(e, "track_uuid").Uint()]
		line := fmt.Sprintf("%d %s %s %s", get(p, "timestamp").Uint(), [...]string{"", "begin", "end", "instant",
			"count"}[get(e, "type").Int()], track[strings.LastIndex(track, "/")+1:], names[get(e, "name_iid").Uint()])
		for _, f := range []string{"flow_ids", "terminating_flow_ids"} {
			if l := get(e, f).List(); l.Len() > 0 {
				line += fmt.Sprintf(" %s %x", f, l.Get(0).Uint())
			}
		}
		if get(e, "type").Int() == 4 {
			line += fmt.Sprint(get(e, "counter_value").Int())
		}
		got = append(got, line)
	}
	want := []string{"0 instant top.gen1 src", "5000 instant top.gen1 y0 flow_ids 10000000000",
		"10000 count top.e1 waiting (elements) 1", "10000 count top.e1 waiting (elements) 0",
		"10000 begin top.sum top.sum",
		"10000 instant top.sum x[1] terminating_flow_ids 10000000000", "11000 instant top.gen1 y0 flow_ids 10000000001",
		"12000 count top.e1 waiting (elements) 1", "17000 instant top.sum y0 flow_ids 30000000000",
		"17000 count top.e2 waiting (elements) 1", "18000 count top.e2 waiting (elements) 0",
		"18000 instant top.store x0 terminating_flow_ids 30000000000", "19000 count top.e1 waiting (elements) 0",
		"17000 end top.sum ", "19000 begin top.sum top.sum",
		"19000 instant top.sum x[1] terminating_flow_ids 10000000001", "19000 end top.sum "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(slices.Collect(maps.Values(tracks)), "xopt trace of top, times simulated/proc[2]/top.sum") {
		t.Errorf("the tracks are %v", tracks)
	}
}
