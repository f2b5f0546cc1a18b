// Package storetest holds the contract of adapter.Store as tests that any
// implementation can run. Each subtest is named for what it holds.
//
// Run opens many stores, as different nodes of one installation: what they share
// is named by Node.Space, and every subtest has a space of its own.
package storetest
