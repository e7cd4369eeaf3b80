package tgff

import "strings"

// Times returns what each type of task takes on a processing element, of a table that says so.
// Types that cannot run there, by a column valid, are left out.
func (t *Table) Times() (map[int]float64, bool) {
	times, ok := t.Column("exec_time", "task_time", "time")
	if !ok {
		return nil, false
	}
	if valid, ok := t.Column("valid"); ok {
		for typ, v := range valid {
			if v == 0 {
				delete(times, typ)
			}
		}
	}
	return times, true
}

// Sizes returns how many bytes arcs of each type carry, of the first table of communication that
// says so, in bytes, or bits where the column says so; nil where none does.
func (f *File) Sizes() map[int]float64 {
	for i := range f.Tables {
		t := &f.Tables[i]
		if !strings.HasPrefix(t.Name, "COMM") && !strings.HasPrefix(t.Name, "TRANS") {
			continue
		}
		if column, ok := t.Column("bits"); ok {
			for k := range column {
				column[k] = (column[k] + 7) / 8
			}
			return column
		}
		if column, ok := t.Column("bytes", "quantity", "size", "volume", strings.ToLower(t.Name)); ok {
			return column
		}
	}
	return nil
}
