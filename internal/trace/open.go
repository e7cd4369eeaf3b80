package trace

// OpenFile opens a trace for reading.
func OpenFile(path string) (Table, error) { return openTable(path) }
