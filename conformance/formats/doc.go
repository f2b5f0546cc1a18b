// Package formats has no code, only tests: data that an earlier release has written,
// read by this one. Each stored format has a file of the release that wrote it last,
// testdata/N.txt, and TestReads works on each of them: reads, answers, takes over,
// requeues, repeats, deletes.
//
// A file is written by the command of that release, which TestWrite drives:
//
//	git worktree add --detach DIR COMMIT && (cd DIR && go build -o aguiws .)
//	AGUIWS_OTHER_BUILD=DIR/aguiws go test ./conformance/formats -run TestWrite -write N.txt -by COMMIT
//
// It holds each key with what is left of its time, and the time at which it was read:
// whoever loads it lets the clock go on from then, so that it grows no older.
package formats
