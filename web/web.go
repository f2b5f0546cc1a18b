package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/internal/origin"
)

//go:embed all:dist
var dist embed.FS

// policy is what the page may do. 'self' covers WebSockets to the same host; a picture that
// is in an agent's text is fetched from nowhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes does not ask the machine, whose answer differs from host to host.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// asset is one embedded file, ready to be sent.
type asset struct {
	body        []byte
	zipped      []byte // nil where compressing gains nothing
	contentType string
	etag        string
	immutable   bool // its name changes with its content
}

// places are the paths at which the page shows something of its own.
var places = []string{"/inbox", "/ops", "/ops/runs", "/ops/dead-letters", "/ops/servers", "/ops/upstreams", "/ops/webhooks"}

// Handler serves the page at "/", "/inbox", "/ops" and below it, and its files beside it,
// to GET and HEAD. Every other path is 404, and below "/ops" the page says so. It is safe for concurrent use, reads nothing from
// disk and holds a compressed copy of each file.
//
// Files whose names carry a hash may be cached for ever; the page itself is
// asked for anew each time, so that a new server is seen at the next reload.
func Handler() http.Handler {
	return HandlerFor(Options{})
}

// Options are what the page says of the program that serves it.
type Options struct {
	// Keep is the program's own way to keep what would end with it, as a sentence: the page
	// shows it while the store is in memory. Default: how a Go program does that.
	Keep string
	// Base is the path below which browsers find the page and the server that serves it, such
	// as "/agents": server.Options.Base. The handler itself gets paths without it. Default: the
	// root of the host.
	Base string
	// SignIn has the page offer to sign in at a provider: server.Options.SignIn is set.
	SignIn bool
	// Login is where the program's own people log in: a path of the same host, such as "/login", or
	// an https:// URL. The page sends whoever the server does not know there, and asks nobody for
	// a token. Default: it asks for one.
	Login string
}

// HandlerFor is Handler with options. It panics if Base is not the path of a base, or Login not
// an address of either form.
func HandlerFor(o Options) http.Handler {
	o.Keep = cmp.Or(o.Keep, "redisstore.Open keeps them.")
	o.Base = strings.TrimSuffix(o.Base, "/")
	if !origin.IsBase(o.Base) {
		panic(fmt.Sprintf("web: Options.Base is %q: expected a path such as /agents", o.Base))
	}
	if path := strings.HasPrefix(o.Login, "/") && !strings.HasPrefix(o.Login, "//"); o.Login != "" && !path && !strings.HasPrefix(o.Login, "https://") {
		panic(fmt.Sprintf("web: Options.Login is %q: expected a path such as /login, or an https:// URL", o.Login))
	}
	assets, err := load(dist, o)
	if err != nil {
		// The files are part of the binary: only a broken build gets here.
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		a, ok := assets[r.URL.Path]
		status := http.StatusOK
		if !ok && strings.HasPrefix(r.URL.Path, "/ops/") {
			a, ok, status = assets["/"], true, http.StatusNotFound
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		a.serve(w, r, status)
	})
}

func load(files fs.FS, o Options) (map[string]*asset, error) {
	root, err := fs.Sub(files, "dist")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	assets := map[string]*asset{}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			meta := `<meta name="aguiws:keep" content="` + html.EscapeString(o.Keep) + "\">\n"
			if o.Base != "" {
				meta += `    <meta name="aguiws:base" content="` + o.Base + "\">\n"
			}
			if o.SignIn {
				meta += `    <meta name="aguiws:sign-in" content="` + o.Base + `/signin">` + "\n"
			}
			if o.Login != "" {
				meta += `    <meta name="aguiws:login" content="` + html.EscapeString(o.Login) + "\">\n"
			}
			// The page is shown at several paths, so that it names its files by whole ones.
			body = bytes.ReplaceAll(body, []byte(`="./`), []byte(`="`+o.Base+"/"))
			body = bytes.Replace(body, []byte("</head>"), []byte(meta+"  </head>"), 1)
		}
		a, err := newAsset(name, body)
		if err != nil {
			return err
		}
		if name == "index.html" {
			name = ""
		}
		assets["/"+name] = a
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("web: reading the embedded page: %w", err)
	}
	if assets["/"] == nil {
		return nil, fmt.Errorf("web: the embedded page has no index.html")
	}
	for _, place := range places {
		assets[place] = assets["/"]
	}
	return assets, nil
}

func newAsset(name string, body []byte) (*asset, error) {
	contentType, ok := contentTypes[path.Ext(name)]
	if !ok {
		return nil, fmt.Errorf("no content type for %s", name)
	}
	sum := sha256.Sum256(body)
	a := &asset{
		body:        body,
		contentType: contentType,
		etag:        hex.EncodeToString(sum[:16]),
		immutable:   strings.HasPrefix(name, "assets/"),
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if zipped.Len() < len(body) {
		a.zipped = zipped.Bytes()
	}
	return a, nil
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header.Set("Content-Type", a.contentType)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache")
	if a.immutable {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body, etag := a.body, `"`+a.etag+`"`
	if a.zipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		body, etag = a.zipped, `"`+a.etag+`-gzip"`
	}
	header.Set("ETag", etag)
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), etag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // the reader has gone: nothing to tell it
}

// acceptsGzip reads Accept-Encoding; a weight of zero refuses.
func acceptsGzip(accept string) bool {
	for coding := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		weight, found := strings.CutPrefix(strings.TrimSpace(parameters), "q=")
		if !found {
			return true
		}
		q, err := strconv.ParseFloat(weight, 64)
		return err == nil && q > 0
	}
	return false
}

// matches reads If-None-Match, whose comparison is the weak one.
func matches(condition, etag string) bool {
	for candidate := range strings.SplitSeq(condition, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == etag {
			return true
		}
	}
	return false
}
