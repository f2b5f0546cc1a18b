// Package web serves the page that the command shows: a chat at "/", the inbox
// of open questions at "/inbox" and the operator's view at "/ops".
//
// The page is a React application built by Vite from web/chat, on the browser
// package in web/client; dist/ is what `npm ci && npm run build` makes of them,
// committed and embedded, so that building the server needs no Node.
//
// The page is given no more than it needs: a content security policy without
// inline script, inline style, evaluation or foreign origins; no framing; no
// referrer, because a thread's id is in the address. It talks to the server
// that served it, over the WebSocket binding at /agui/ws and the control API
// under /v1. It comes without a credential; one that a person types in is held in
// the tab's sessionStorage and nowhere else.
package web
