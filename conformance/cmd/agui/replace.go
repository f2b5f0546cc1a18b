package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// replacing is a way to replace the server's process: a shell command. What it says
// is told if it fails.
func replacing(command string) func(context.Context) error {
	if command == "" {
		return nil
	}
	return func(ctx context.Context) error {
		// A file and no pipe: the server that the command leaves running may hold
		// it, and must not die of writing when nobody reads.
		said, err := os.CreateTemp("", "agui-replace")
		if err != nil {
			return err
		}
		defer said.Close()
		if err := os.Remove(said.Name()); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Stdout, cmd.Stderr = said, said
		if err := cmd.Run(); err != nil {
			text, _ := io.ReadAll(io.NewSectionReader(said, 0, 4<<10))
			return fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(string(text)))
		}
		return nil
	}
}
