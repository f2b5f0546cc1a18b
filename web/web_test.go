package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func request(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var references = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

func TestPageAndEveryFileItNamesAreServed(t *testing.T) {
	page := request(t, "GET", "/?thread=x")
	html := read(t, page.Body)
	if page.StatusCode != 200 || page.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("page: %d %q", page.StatusCode, page.Header.Get("Content-Type"))
	}
	if got := page.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("page: Cache-Control %q", got)
	}
	found := references.FindAllStringSubmatch(html, -1)
	if len(found) < 3 {
		t.Fatalf("the page names %d files, want script, style and icon at least", len(found))
	}
	for _, match := range found {
		res := request(t, "GET", match[1])
		if res.StatusCode != 200 || len(read(t, res.Body)) == 0 {
			t.Errorf("%s: %d", match[1], res.StatusCode)
		}
		immutable := strings.Contains(res.Header.Get("Cache-Control"), "immutable")
		if hashed := strings.HasPrefix(match[1], "/assets/"); hashed != immutable {
			t.Errorf("%s: Cache-Control %q", match[1], res.Header.Get("Cache-Control"))
		}
	}
}

func TestEveryPlaceIsThePage(t *testing.T) {
	page := read(t, request(t, "GET", "/").Body)
	for _, place := range places {
		res := request(t, "GET", place)
		if res.StatusCode != 200 || read(t, res.Body) != page || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, Cache-Control %q", place, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
}

func TestPageBelowABase(t *testing.T) {
	page := func(base string) string {
		w := httptest.NewRecorder()
		HandlerFor(Options{Base: base, SignIn: true}).ServeHTTP(w, httptest.NewRequest("GET", "/ops/runs", nil))
		return w.Body.String()
	}
	below := page("/agents/")
	for _, match := range references.FindAllStringSubmatch(below, -1) {
		name, ok := strings.CutPrefix(match[1], "/agents/")
		if res := request(t, "GET", "/"+name); !ok || res.StatusCode != 200 {
			t.Errorf("%s: %d", match[1], res.StatusCode)
		}
	}
	for _, want := range []string{`<meta name="aguiws:base" content="/agents">`, `content="/agents/signin"`} {
		if !strings.Contains(below, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if root := page(""); strings.Contains(root, "aguiws:base") || !strings.Contains(root, `content="/signin"`) {
		t.Errorf("at the root: %s", root)
	}
	defer func() {
		if recover() == nil {
			t.Error("a base that is no path is taken")
		}
	}()
	page(`"><script>`)
}

// The address of the program's login is its own: a page that was built with another scheme would
// run what it says.
func TestPageSendsPeopleToTheProgramsLogin(t *testing.T) {
	page := func(login string) string {
		w := httptest.NewRecorder()
		HandlerFor(Options{Login: login}).ServeHTTP(w, httptest.NewRequest("GET", "/inbox", nil))
		return w.Body.String()
	}
	for login, want := range map[string]string{
		"/login?to=/ai/&x":               `<meta name="aguiws:login" content="/login?to=/ai/&amp;x">`,
		"https://login.example.com/chat": `<meta name="aguiws:login" content="https://login.example.com/chat">`,
	} {
		if text := page(login); !strings.Contains(text, want) {
			t.Errorf("%q: the page is %s", login, text)
		}
	}
	if text := page(""); strings.Contains(text, "aguiws:login") {
		t.Errorf("without one it is %s", text)
	}
	for _, login := range []string{"//elsewhere.example", "http://login.example.com", "javascript:alert(1)", "login"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", login)
				}
			}()
			page(login)
		}()
	}
}

func TestPageNeedsNothingThatThePolicyForbids(t *testing.T) {
	html := read(t, request(t, "GET", "/").Body)
	if m := regexp.MustCompile(`<script(?:[^>]*)>[^<]+`).FindString(html); m != "" {
		t.Errorf("inline script: %s", m)
	}
	if m := regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=`).FindString(html); m != "" {
		t.Errorf("inline style or handler: %q", m)
	}
	for _, match := range references.FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(match[1], "/") || strings.HasPrefix(match[1], "//") {
			t.Errorf("a file from elsewhere: %s", match[1])
		}
	}
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	for _, path := range []string{"/", "/icon.svg", "/nothing"} {
		h := request(t, "GET", path).Header
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:;", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy %q lacks %s", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestOtherPathsAreNotFound(t *testing.T) {
	for _, path := range []string{"/inbox/", "/ops/x", "/index.html", "/assets", "/assets/", "/dist/index.html", "/..%2fweb.go"} {
		if got := request(t, "GET", path).StatusCode; got != 404 {
			t.Errorf("%s: %d, want 404", path, got)
		}
	}
}

func TestPageSaysThatAPlaceOfOperatorsIsNotThere(t *testing.T) {
	page := request(t, "GET", "/")
	want := read(t, page.Body)
	r := httptest.NewRequest("GET", "/ops/x", nil)
	r.Header.Set("If-None-Match", page.Header.Get("ETag"))
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	if w.Code != 404 || w.Body.String() != want {
		t.Errorf("%d, %d bytes, want 404 and the page of %d", w.Code, w.Body.Len(), len(want))
	}
}

func TestMethods(t *testing.T) {
	res := request(t, "POST", "/")
	if res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", res.StatusCode, res.Header.Get("Allow"))
	}
	res = request(t, "HEAD", "/")
	if res.StatusCode != 200 || read(t, res.Body) != "" || res.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, Content-Length %q", res.StatusCode, res.Header.Get("Content-Length"))
	}
}

func TestCompressionIsTheSamePage(t *testing.T) {
	plain := read(t, request(t, "GET", "/").Body)
	res := request(t, "GET", "/", "Accept-Encoding", "br, gzip;q=0.5")
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	z, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, z) != plain {
		t.Error("compressed differs from plain")
	}
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip;q=wrong"} {
		if got := request(t, "GET", "/", "Accept-Encoding", accept).Header.Get("Content-Encoding"); got != "" {
			t.Errorf("Accept-Encoding %q: %q", accept, got)
		}
	}
}

func TestNotModified(t *testing.T) {
	etag := request(t, "GET", "/").Header.Get("ETag")
	for condition, want := range map[string]int{etag: 304, `"x", W/` + etag: 304, "*": 304, `"x"`: 200} {
		if got := request(t, "GET", "/", "If-None-Match", condition).StatusCode; got != want {
			t.Errorf("If-None-Match %s: %d, want %d", condition, got, want)
		}
	}
}

func TestLoadRefusesABrokenBuild(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"no page":              {"dist/assets/a.js": {Data: []byte("1")}},
		"no content type":      {"dist/index.html": {Data: []byte("x")}, "dist/a.exe": {Data: []byte("x")}},
		"nothing was embedded": {},
	} {
		if _, err := load(files, Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The sentence is somebody else's: it is text in the page, whatever it has in it.
func TestPageSaysHowToKeep(t *testing.T) {
	w := httptest.NewRecorder()
	HandlerFor(Options{Keep: `Set "keep" <script> & go`, SignIn: true}).ServeHTTP(w, httptest.NewRequest("GET", "/inbox", nil))
	if want := `<meta name="aguiws:keep" content="Set &#34;keep&#34; &lt;script&gt; &amp; go">`; strings.Count(w.Body.String(), want) != 1 || !strings.Contains(w.Body.String(), `<meta name="aguiws:sign-in" content="/signin">`) {
		t.Errorf("the page is %s", w.Body)
	}
	if text := read(t, request(t, "GET", "/").Body); !strings.Contains(text, "redisstore.Open") || strings.Contains(text, "--redis") || strings.Contains(text, "aguiws:sign-in") {
		t.Errorf("in a program it is %s", text)
	}
}
