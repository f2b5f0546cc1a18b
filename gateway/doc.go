// Package gateway puts an agent that somebody else wrote, and that AG-UI over HTTP
// reaches, behind a Runner: an Upstream is an adapter.Agent whose work is one POST a
// turn. Its events are logged before anybody sees them, its interrupts become
// suspensions, and an answer goes to it once: where nobody can know whether it has one, a
// human is asked.
package gateway
