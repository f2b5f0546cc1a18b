package responseschema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a JSON number, exactly: digits × 10^exp, with no zeros at either end of
// digits. Zero has no digits. However large the exponent is, nothing is written out.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

// maxExponentDigits is how many digits an exponent may have, so that sums of
// exponents fit.
const maxExponentDigits = 17

// parseDecimal reads a JSON number. It fails on exponents that are out of reach.
func parseDecimal(text string) (d decimal, ok bool) {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole
	if fraction != "" {
		digits += fraction
	}
	digits = strings.TrimLeft(digits, "0")
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	if exponent != "" {
		sign := exponent[0]
		exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		if len(exponent) > maxExponentDigits {
			return decimal{}, false
		}
		if exponent != "" {
			d.exp, _ = strconv.ParseInt(exponent, 10, 64)
		}
		if sign == '-' {
			d.exp = -d.exp
		}
	}
	d.exp += int64(len(digits) - len(d.digits) - len(fraction))
	return d, true
}

// decimalOf is a number that was a JSON number of a schema.
func decimalOf(r *big.Rat) *decimal {
	if r == nil {
		return nil
	}
	places, _ := r.FloatPrec()
	d, _ := parseDecimal(r.FloatString(places))
	return &d
}

func (d decimal) isInteger() bool { return d.exp >= 0 }

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) cmp(other decimal) int {
	if c := cmp.Compare(d.sign(), other.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Compare(d.exp+int64(len(d.digits)), other.exp+int64(len(other.digits)))
	if c == 0 {
		c = strings.Compare(d.digits, other.digits)
	}
	return c * d.sign()
}

// isMultipleOf reports whether d is a whole number of times of, which is not zero.
func (d decimal) isMultipleOf(of decimal) bool {
	if d.digits == "" {
		return true
	}
	shift := d.exp - of.exp
	if shift < 0 {
		return false // 10 does not divide d.digits
	}
	var n, m big.Int
	n.SetString(d.digits, 10)
	m.SetString(of.digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), &m)
	return n.Mod(n.Mul(n.Mod(&n, &m), power), &m).Sign() == 0
}

// stepsToDivide is what isMultipleOf takes with that many digits.
func stepsToDivide(digits int) int {
	words := digits/19 + 1
	return 256 + digits + words*words/32
}

// String writes the number as short as it goes.
func (d decimal) String() string {
	s := d.digits
	if d.negative {
		s = "-" + s
	}
	switch places := int64(len(d.digits)) + d.exp; {
	case d.digits == "":
		return "0"
	case d.exp >= 0 && places <= 40:
		return s + strings.Repeat("0", int(d.exp))
	case d.exp < 0 && places > 0 && places <= 40:
		cut := len(s) + int(d.exp)
		return s[:cut] + "." + s[cut:]
	}
	return s + "e" + strconv.FormatInt(d.exp, 10)
}
