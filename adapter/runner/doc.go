// Package runner carries runs: it admits inputs, calls agents, journals what they do, suspends
// them when they ask, and continues them when they are answered, on whichever node. It knows
// neither Redis nor HTTP: a Store keeps threads, and a server puts a Runner behind a wire:
//
//	store, err := redisstore.Embedded(nil) // or redisstore.Open(ctx, "redis://127.0.0.1:6379", nil)
//	…
//	runs, err := runner.New(store, &runner.Options{
//		Agents: map[string]adapter.Agent{"clerk": adapter.AgentFunc(clerk)}, Default: "clerk",
//	})
//	…
//	srv, err := server.New(runs, &server.Options{Fallback: web.Handler()})
//	…
//	go srv.Serve(listener)
//	<-signals
//	srv.Shutdown(ctx) // shuts the runner down, too
//	store.Close()
//
// An input takes this way:
//
//	 input ──▶ Runner.Submit ──▶ judge ──▶ Store.Begin ──▶ execution ──▶ Agent.Run
//	                                                          │  Emit, Step, Ask
//	follower ◀── hub ◀── Delivery ◀── Store.Commit ◀── pipeline
package runner
