package units

import (
	"fmt"
	"strconv"
	"strings"
)

// Counted returns a number of things as text: one is the word after 1, many the word after any other number.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Elements returns a number of elements as text: 1 element, 2 elements.
func Elements[T int | int64 | uint64 | float64](n T) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprint(n) + " elements"
}

// Some joins names with commas. Of more than most names it returns the first most-1, and the number of the others.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
}
