package report

// Query is one statement of the TimeTrial language with what it has measured.
type Query struct {
	Name string `json:"name"` // its label, or its number
	Text string `json:"text"` // as written
}

func (q *Query) rows() [][]string { return [][]string{{"frame"}} }
