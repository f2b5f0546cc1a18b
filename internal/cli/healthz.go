package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// healthz asks a server whether it is well, for images that have no curl.
func healthz(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 || !strings.HasPrefix(args[0], "http://") && !strings.HasPrefix(args[0], "https://") {
		return errors.New("healthz: expected aguiws healthz URL, such as http://127.0.0.1:8080/healthz or …/readyz")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[0], nil)
	if err != nil {
		return errors.New("healthz: the URL cannot be asked")
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("healthz: %w", withoutURL(err))
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // the status is what counts
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("healthz: %s: %s", answer.Status, strings.TrimSpace(string(said)))
	}
	fmt.Fprintln(stdout, strings.TrimSpace(string(said)))
	return nil
}
