package campaign

// Progress is the state of a campaign for xopt campaign status --json. docs/campaigns.md describes its fields.
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
	SecondsComputed float64   `json:"secondsComputed"` // s, total of the completed points; measured
	SecondsLeft     *float64  `json:"secondsLeft"`     // s, approximate; nil if unknown
	AtOnce          int       `json:"atOnce"`          // points, by all workers that live
	Workers         []Worker  `json:"workers"`         // that live
	Lost            []Worker  `json:"lost"`            // that died without a last word
	Failures        []Failure `json:"failures"`
	Damaged         []string  `json:"damaged"` // files of results
	Nodes           []string  `json:"nodes"`   // nodes with unfinished points
	Refused         string    `json:"refused,omitempty"`
}

// Worker is a worker in [Progress].
type Worker struct {
	Host       string `json:"host"`
	Node       string `json:"node,omitempty"` // its name in the campaign or for Slurm
	PID        int    `json:"pid"`
	Job        string `json:"job,omitempty"` // of Slurm
	CoresUsed  int    `json:"coresUsed"`
	CoresGiven int    `json:"coresGiven"`
	AtOnce     int    `json:"atOnce"` // points
}

// Progress returns the progress of a campaign, for programs.
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

// workersOf lists workers for programs.
func workersOf(beats []Beat) []Worker {
	list := []Worker{}
	for i := range beats {
		b := &beats[i]
		list = append(list, Worker{Host: b.By.Host, Node: b.Node, PID: b.By.PID, Job: b.Job, CoresUsed: b.Used,
			CoresGiven: b.Given, AtOnce: b.Slots})
	}
	return list
}
