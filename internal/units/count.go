package units

import (
	"fmt"
	"strconv"
)

// Counted is a number of things in words: one is what follows 1, many what follows any other number.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Elements is a number of elements in words: 1 element, 2 elements.
func Elements[T int | int64 | uint64 | float64](n T) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprint(n) + " elements"
}
