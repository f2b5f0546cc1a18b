// Package wire reads and writes JSON text: it checks it, walks it, names what is wrong with
// it, and knows how a JSON Patch is written. It knows nothing else of AG-UI.
package wire
