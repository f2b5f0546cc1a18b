// Package downgrade makes of an event what a client of an older version can be sent.
package downgrade

import (
	"strconv"
	"strings"
)

// Profile is what a peer of some version can be sent.
type Profile uint8

const (
	// ProfileCurrent is for peers of 1.1, of anything newer, and of a version
	// that cannot be read: they get events as they are.
	ProfileCurrent Profile = iota
	// Profile10 is for peers of 1.0, which do not know encryptedValueType.
	Profile10
	// Profile0 is for peers that declare no version: releases before 1.0, of
	// which nothing more is known, and which fail on what they do not know.
	Profile0
)

// ProfileOf returns the profile for what a peer declares as its
// protocolVersion; empty is none.
func ProfileOf(declared string) Profile {
	if declared == "" {
		return Profile0
	}
	major, minor, ok := parseVersion(declared)
	switch {
	case !ok:
		return ProfileCurrent
	case major == 0:
		return Profile0
	case major == 1 && minor == 0:
		return Profile10
	}
	return ProfileCurrent
}

// parseVersion reads MAJOR.MINOR. It is not ok for anything else, "1.0.0"
// included; such a peer is to be taken for a newer one.
func parseVersion(s string) (major, minor int, ok bool) {
	a, b, dotted := strings.Cut(s, ".")
	major, okA := parseComponent(a)
	minor, okB := parseComponent(b)
	if !dotted || !okA || !okB {
		return 0, 0, false
	}
	return major, minor, true
}

func parseComponent(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
