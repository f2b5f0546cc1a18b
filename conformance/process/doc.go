// Package process has no code, only tests: the command as processes that die, on
// a Redis that stays, with clients that keep trying.
//
// The crash points are the script agent's and the runner's: AGUIWS_CRASH_AT names
// the one at which a process kills itself. TestRandomKills prints its seed;
// AGUIWS_SEED repeats it. TestBehindNginx runs the configuration that
// docs/proxies.md shows, if nginx is there.
package process
