// Package client is a client of the WebSocket binding of AG-UI that
// docs/binding describes.
//
// Dial connects a Client, which connects again by itself for as long as that may
// help. Follow attaches it to a thread. A Thread holds the conversation, folded, and
// keeps its position through every loss: each event of the log is applied once, in
// order, and where that is impossible the thread is restated, which a Subscription
// says. Send asks for a run. An input is sent until it is answered, so a lost socket
// or a restarted server costs time only, and nothing is executed twice.
//
//	c, err := client.Dial(ctx, "ws://127.0.0.1:8080/agui/ws", nil)
//	thread, err := c.Follow(ctx, "trip", nil)
//	end, err := thread.Say("/confirm Book the Adlon?").Wait(ctx) // a command of the demo agent
//	var answers []protocol.ResumeEntry
//	for _, asked := range client.Asked(end) {
//		answers = append(answers, client.Resolve(asked, `{"approved":true}`))
//	}
//	end, err = thread.Answer(answers...).Wait(ctx) // all that are open, together
//
// An Inbox lists the interrupts that are open in any thread, and answers them, with
// requests and without a socket.
//
// Underneath is Conn, one socket: it sends any frame, receives each, and says where
// each event stands. It is for tests, proxies and other clients.
//
// The methods of Client, Thread, Run and Subscription may be called concurrently.
// A Client has two goroutines while it is connected; Close waits for them. None
// waits for whoever takes updates.
package client
