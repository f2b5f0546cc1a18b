// Package runner carries runs: it admits inputs, calls agents, journals what they do, suspends
// them when they ask, and continues them when they are answered, on whichever node. It knows
// neither Redis nor HTTP: a Store keeps threads, and a server puts a Runner behind a wire.
//
//	 input ──▶ Runner.Submit ──▶ judge ──▶ Store.Begin ──▶ execution ──▶ Agent.Run
//	                                                          │  Emit, Step, Ask
//	follower ◀── hub ◀── Delivery ◀── Store.Commit ◀── pipeline
package runner
