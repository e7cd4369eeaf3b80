package units

import "strconv"

// Counted is a number of things in words: one is what follows 1, many what follows any other number.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
