package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

//go:embed configs/*.yaml
var configs embed.FS

var configKinds = []string{"dev", "production", "gateway"}

// configure writes a configuration file to begin with. It never replaces a file.
func configure(args []string, stdout io.Writer) error {
	const usage = "aguiws config init [dev|production|gateway] [FILE]"
	if len(args) == 0 || args[0] != "init" || len(args) > 3 {
		return errors.New("config: expected " + usage)
	}
	kind, file := "dev", "aguiws.yaml"
	switch args = args[1:]; len(args) {
	case 2:
		file = args[1]
		fallthrough
	case 1:
		kind = args[0]
	}
	if !slices.Contains(configKinds, kind) {
		return fmt.Errorf("config init: there is no file for %q%s: expected %s", kind, suggest(kind, configKinds), usage)
	}
	text, err := configs.ReadFile("configs/" + kind + ".yaml")
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = stdout.Write(text)
		return err
	}
	if err := writeNew(file, strings.ReplaceAll(string(text), "aguiws.yaml", file)); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("config init: %s is there already: name another file, or - for standard output", file)
		}
		return fmt.Errorf("config init: %w", err)
	}
	fmt.Fprintf(stdout, "%s is written: edit it, then run aguiws check --config %s\n", file, file)
	return nil
}

// writeNew makes a file that others cannot read: tokens may be written into it.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
