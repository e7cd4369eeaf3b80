package campaign

// Progress is the JSON form of a campaign's state for xopt campaign status --json. docs/campaigns.md describes the
// fields.
type Progress struct {
	Kind            string    `json:"kind"`
	Files           []string  `json:"files"`
	State           string    `json:"state"` // complete, cancelled, ended, computing or idle
	Points          int       `json:"points"`
	Done            int       `json:"done"`
	Failed          int       `json:"failed"`
	SetAside        int       `json:"setAside"`
	InHand          int       `json:"inHand"`
	Waiting         int       `json:"waiting"`
	SecondsComputed float64   `json:"secondsComputed"` // s, measured; total of the completed points
	SecondsLeft     *float64  `json:"secondsLeft"`     // s, approximate; nil if unknown
	AtOnce          int       `json:"atOnce"`          // points that the live workers compute concurrently
	Workers         []Worker  `json:"workers"`         // live workers
	Lost            []Worker  `json:"lost"`            // workers that died without a final heartbeat
	Failures        []Failure `json:"failures"`
	Damaged         []string  `json:"damaged"` // damaged results files
	Nodes           []string  `json:"nodes"`   // nodes with unfinished points
	Refused         string    `json:"refused,omitempty"`
}

// Worker is a worker in [Progress].
type Worker struct {
	Host       string `json:"host"`
	Node       string `json:"node,omitempty"` // name of the node in the campaign or in Slurm
	PID        int    `json:"pid"`
	Job        string `json:"job,omitempty"` // Slurm job
	CoresUsed  int    `json:"coresUsed"`
	CoresGiven int    `json:"coresGiven"`
	AtOnce     int    `json:"atOnce"` // points
}

// Progress returns the progress of a campaign for JSON output.
func (f *Folder) Progress(s *State) *Progress {
	p := &Progress{Kind: f.Kind, Files: f.Files, Points: s.All, Done: s.Done, Failed: s.Failed,
		SetAside: s.Aside, InHand: s.Running, Waiting: s.Waiting, SecondsComputed: s.Seconds,
		AtOnce: s.Slots, Failures: append([]Failure{}, s.Failures...),
		Damaged: []string{}, Nodes: append([]string{}, s.Nodes...), Refused: f.Refused()}
	switch {
	case s.Complete():
		p.State = "complete"
	case s.Cancelled:
		p.State = "cancelled"
	case s.IsOver():
		p.State = "ended"
	case len(s.Workers) > 0:
		p.State = "computing"
	default:
		p.State = "idle"
	}
	if s.Left > 0 {
		left := s.Left.Seconds()
		p.SecondsLeft = &left
	}
	p.Workers, p.Lost = workersOf(s.Workers), workersOf(s.Lost)
	for _, err := range s.Damaged {
		p.Damaged = append(p.Damaged, err.Error())
	}
	return p
}

// workersOf converts workers for JSON output.
func workersOf(beats []Beat) []Worker {
	list := []Worker{}
	for i := range beats {
		b := &beats[i]
		list = append(list, Worker{Host: b.By.Host, Node: b.Node, PID: b.By.PID, Job: b.Job, CoresUsed: b.Used,
			CoresGiven: b.Given, AtOnce: b.Slots})
	}
	return list
}
