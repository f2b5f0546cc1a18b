package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/aguiws/aguiws/gateway"
)

// header is what is sent with each request, files of values included. Its errors tell no
// values. Names are the gateway's to judge.
func (e *upstreamEntry) header() (http.Header, error) {
	header := http.Header{}
	set := func(list, name, value string) error {
		switch {
		case header.Get(name) != "":
			return fmt.Errorf("%s: %s is there twice", list, name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return fmt.Errorf("%s: %s: the value cannot be sent: it has line breaks or other control characters", list, name)
		}
		header.Set(name, value)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if err := set("headers", name, e.Headers[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.HeaderFiles)) {
		data, err := os.ReadFile(e.HeaderFiles[name])
		if err == nil {
			err = set("header-files", name, strings.TrimSpace(string(data)))
		}
		if err != nil {
			return nil, err
		}
	}
	return header, nil
}

// times reads the entry's durations, by the names that it calls them; what is left out is 0.
func (e *upstreamEntry) times(into map[string]*time.Duration) error {
	texts := map[string]string{"connect-timeout": e.ConnectTimeout, "first-byte-timeout": e.FirstByteTimeout, "silence-timeout": e.SilenceTimeout, "run-timeout": e.RunTimeout}
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if texts[name] == "" {
			continue
		}
		if err := (durationValue{into[name], time.Millisecond, 0}).Set(texts[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// options are what the entry says of the gateway.
func (e *upstreamEntry) options(log *slog.Logger) (*gateway.Options, error) {
	header, err := e.header()
	if err != nil {
		return nil, err
	}
	o := &gateway.Options{
		Name: e.Name, Header: header, PassHeaders: e.PassHeaders, UserHeader: e.UserHeader, Dialect: gateway.Dialect(e.Dialect), Idempotent: e.Idempotent, AskLost: e.AskLost, OwnMetadata: e.OwnMetadata,
		StopURL: e.StopURL, CapabilitiesURL: e.CapabilitiesURL, Concurrency: e.Concurrency, Logger: log,
	}
	for name, answer := range map[string]struct {
		said yaml.Node
		into *json.RawMessage
	}{"yes": {e.Yes, &o.Yes}, "no": {e.No, &o.No}} {
		if err := answerOf(answer.said, answer.into); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	switch e.History {
	case "", "whole":
	case "new":
		o.History = gateway.HistoryNew
	default:
		return nil, fmt.Errorf("history: %q: must be whole or new", e.History)
	}
	if err := e.times(map[string]*time.Duration{"connect-timeout": &o.ConnectTimeout, "first-byte-timeout": &o.FirstByteTimeout,
		"silence-timeout": &o.SilenceTimeout, "run-timeout": &o.RunTimeout}); err != nil {
		return nil, err
	}
	for _, size := range []struct {
		name, text string
		into       *int64
	}{{"max-event", e.MaxEvent, &o.MaxEventBytes}, {"max-run", e.MaxRun, &o.MaxRunBytes}} {
		if size.text == "" {
			continue
		}
		if err := (bytesValue{size.into, 1 << 10}).Set(size.text); err != nil {
			return nil, fmt.Errorf("%s: %w", size.name, err)
		}
	}
	o.TLS, err = e.tls()
	return o, err
}

// answerOf reads an answer that is said in YAML or JSON; what is left out is nil.
func answerOf(said yaml.Node, into *json.RawMessage) error {
	if said.IsZero() {
		return nil
	}
	var value any
	err := said.Decode(&value)
	if err == nil {
		*into, err = json.Marshal(value)
	}
	if err != nil {
		return errors.New("the value must be one of JSON: a text, a number, true, false, null, a list or an object")
	}
	return nil
}

// tls is nil for the system's trust alone.
func (e *upstreamEntry) tls() (*tls.Config, error) {
	if (e.TLSCert == "") != (e.TLSKey == "") {
		return nil, errors.New("tls-cert and tls-key: one needs the other")
	}
	if e.TLSCA == "" && e.TLSCert == "" {
		return nil, nil
	}
	if !strings.HasPrefix(e.URL, "https:") {
		return nil, errors.New("tls-ca, tls-cert and tls-key are for an https URL")
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.TLSCA != "" {
		data, err := os.ReadFile(e.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("tls-ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("tls-ca: %s: there is no certificate in PEM in it", e.TLSCA)
		}
	}
	if e.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(e.TLSCert, e.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("tls-cert, tls-key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
