//go:build race

package gateway

// race says whether races are looked for.
const race = true
