package testkit

import (
	"encoding/json"
	"testing"
)

// traceEvent is an event of Chrome's Trace Event Format.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat"`
	Phase string         `json:"ph"`
	ID    string         `json:"id"`
	Scope string         `json:"s"`
	Bind  string         `json:"bp"`
	Time  *float64       `json:"ts"`
	Lasts float64        `json:"dur"`
	PID   *int           `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args"`
}

// TraceEvents checks a timeline against the Trace Event Format. It returns the number of events for each phase and
// category, such as "X firing". A slice must have a duration, and an instant must have a scope. A counter must have
// numbers, and a name that is unique in the process. The start and the end of a flow must have the same category, name
// and id. They must be in order, and within slices of their tracks.
func TraceEvents(t *testing.T, data []byte) map[string]int {
	t.Helper()
	var f struct {
		Events []traceEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	c := &traceCheck{t: t, count: make(map[string]int), counters: make(map[string]int),
		slices: make(map[[2]int][]traceEvent), begun: make(map[[3]string]traceEvent)}
	for i := range f.Events {
		if e := &f.Events[i]; e.Phase == "X" && e.PID != nil && e.Time != nil {
			c.slices[[2]int{*e.PID, e.TID}] = append(c.slices[[2]int{*e.PID, e.TID}], *e)
		}
	}
	for i := range f.Events {
		c.event(&f.Events[i])
	}
	for key := range c.begun {
		t.Errorf("flow %v has no end", key)
	}
	return c.count
}

type traceCheck struct {
	t        *testing.T
	count    map[string]int
	counters map[string]int
	slices   map[[2]int][]traceEvent
	begun    map[[3]string]traceEvent
}

func (c *traceCheck) event(e *traceEvent) {
	c.t.Helper()
	if e.Name == "" || e.PID == nil || e.Time == nil || *e.Time < 0 {
		c.t.Errorf("an event without name, time or process: %+v", e)
		return
	}
	c.count[e.Phase+" "+e.Cat]++
	if e.Phase != "M" && e.Cat == "" {
		c.t.Errorf("no category: %+v", e)
	}
	key := [3]string{e.Cat, e.Name, e.ID}
	switch e.Phase {
	case "X":
		if e.Lasts < 0 {
			c.t.Errorf("a slice of %g us: %+v", e.Lasts, e)
		}
	case "M":
		_, named := e.Args["name"].(string)
		if _, sorted := e.Args["sort_index"].(float64); named == sorted {
			c.t.Errorf("metadata %+v", e)
		}
	case "i":
		if e.Scope != "g" && e.Scope != "p" && e.Scope != "t" {
			c.t.Errorf("an instant of scope %q", e.Scope)
		}
	case "C":
		c.counter(e)
	case "s":
		if _, twice := c.begun[key]; twice || e.ID == "" || !c.inSlice(e) {
			c.t.Errorf("the beginning of flow %v: twice, without id, or in no slice", key)
		}
		c.begun[key] = *e
	case "f":
		start, ok := c.begun[key]
		if !ok || *start.Time > *e.Time || e.Bind != "e" || !c.inSlice(e) {
			c.t.Errorf("the end of flow %v: without beginning, before it, or in no slice", key)
		}
		delete(c.begun, key)
	default:
		c.t.Errorf("phase %q", e.Phase)
	}
}

func (c *traceCheck) counter(e *traceEvent) {
	c.t.Helper()
	for _, v := range e.Args {
		if _, ok := v.(float64); !ok {
			c.t.Errorf("counter %s is %v", e.Name, v)
		}
	}
	if pid, ok := c.counters[e.Name]; ok && pid != *e.PID {
		c.t.Errorf("counter %s is in two processes", e.Name)
	}
	c.counters[e.Name] = *e.PID
}

// inSlice reports whether an event is within a slice of its track.
func (c *traceCheck) inSlice(e *traceEvent) bool {
	for _, s := range c.slices[[2]int{*e.PID, e.TID}] {
		if *e.Time >= *s.Time && *e.Time <= *s.Time+s.Lasts {
			return true
		}
	}
	return false
}
