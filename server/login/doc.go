// Package login lets users log in at other services (OAuth 2), for the agents that ask for
// their accounts by adapter.Run.Login: the flow through the browser, and the tokens that
// come of it, which lie in the store sealed. docs/logins.md says what people meet.
package login
