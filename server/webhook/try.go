package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Try is one request to a target, and what came of it.
type Try struct {
	Target  string
	Outcome Outcome
	Took    time.Duration
}

// Outcome is what came of a try.
type Outcome string

const (
	Delivered Outcome = "delivered" // the target has answered 2xx
	Failed    Outcome = "failed"    // it is tried again
	Dead      Outcome = "dead"      // it failed, and is given up
	Gone      Outcome = "gone"      // the target has answered 410
)

// Outcomes are all of them.
var Outcomes = []Outcome{Delivered, Failed, Dead, Gone}

const (
	mostRead  = 64 << 10    // of an answer, which says nothing but its status
	readFor   = time.Second // until the connection is not worth waiting for
	mostError = 200
)

// answer is what a target has said; err "": it has taken the webhook.
type answer struct {
	err    string
	status int // 0: it did not answer
	gone   bool
	after  time.Duration // for which it asks to be left alone
}

// try makes one request.
func (l *line) try(w store.Webhook) answer {
	ctx, cancel := context.WithTimeout(l.cutting, l.opts.Timeout)
	defer cancel()
	req, err := l.request(ctx, w.Notice)
	if err != nil {
		return answer{err: "it cannot be made"}
	}
	res, err := l.http.Do(req)
	if err != nil {
		return answer{err: failure(ctx, l.opts.Timeout, err)}
	}
	defer res.Body.Close()
	stop := time.AfterFunc(readFor, cancel)
	defer stop.Stop()
	_, _ = io.CopyN(io.Discard, res.Body, mostRead) // so that the connection can be used again
	if res.StatusCode/100 == 2 {
		return answer{}
	}
	return answer{err: fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)), status: res.StatusCode, gone: res.StatusCode == http.StatusGone, after: retryAfter(res)}
}

// request is a webhook, signed now.
func (l *line) request(ctx context.Context, n store.Notice) (*http.Request, error) {
	text, err := bodyOf(n, l.opts.PublicURL)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.target.URL, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	at := time.Now()
	var signatures []string
	for _, s := range l.signers {
		signature, err := s.Sign(n.ID, at, text)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, signature)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"aguiws"}}
	req.Header.Set("webhook-id", n.ID)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	req.Header.Set("webhook-signature", strings.Join(signatures, " "))
	return req, nil
}

// failure says why there was no answer, without the URL.
func failure(ctx context.Context, timeout time.Duration, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf("no answer within %s", timeout)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return cutText(err.Error(), mostError)
}

// retryAfter reads the header, in seconds or as a time; 0: there is none.
func retryAfter(res *http.Response) time.Duration {
	text := res.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
