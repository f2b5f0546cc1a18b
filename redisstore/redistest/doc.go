// Package redistest gives tests a Redis server of their own: a private
// redis-server process on a unix socket or a port, with its data in a temporary
// directory, that can be killed and started again on that data.
//
// Without the redis-server binary the test is skipped, unless the environment
// variable AGUIWS_REQUIRE holds the word "redis": then it fails.
package redistest
