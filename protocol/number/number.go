// Package number compares JSON numbers by their decimal value.
package number

import (
	"strconv"
	"strings"
)

// maxExponent bounds the exponents that Exact reads. No number of any use
// comes near it, and sums with the length of a text stay in an int64.
const maxExponent = 1 << 60

// Exact returns the one text that stands for a JSON number's decimal value. 1, 1.0
// and 10e-1 have the same text, and -0 has that of 0. 9007199254740993 has another than
// 9007199254740992, though the two are the same to readers that hold numbers as doubles. It
// takes time and memory as the text is long, whatever the exponent. False: the exponent is
// beyond 2^60.
func Exact(number string) (text string, ok bool) {
	mantissa, exponent := number, "0"
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", true
	}
	e, err := strconv.ParseInt(exponent, 10, 64)
	if err != nil || e > maxExponent || e < -maxExponent {
		return "", false
	}
	integer := strings.TrimRight(digits, "0")
	e += int64(len(digits) - len(integer) - len(fraction))
	if negative {
		integer = "-" + integer
	}
	if e != 0 {
		integer += "e" + strconv.FormatInt(e, 10)
	}
	return integer, true
}
