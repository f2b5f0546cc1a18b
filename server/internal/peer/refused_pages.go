package peer

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

const (
	tellPageEvery = time.Minute
	// maxPagesTold bounds of how many origins and names the log tells in that time:
	// whoever asks chooses them.
	maxPagesTold = 20
	// maxCommand bounds how long a list is repeated in the log.
	maxCommand = 500
)

// refusedPages are the origins and names that were refused, with when the log told of
// them.
type refusedPages struct {
	mu   sync.Mutex
	told map[string]time.Time
}

// due reports whether the log is to tell of it now. A name that is one too many is told of
// under the name "".
func (p *refusedPages) due(name string) (as string, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	known := func(name string) bool {
		at, known := p.told[name]
		return known && now.Sub(at) < tellPageEvery
	}
	if known(name) {
		return name, false
	}
	if len(p.told) >= maxPagesTold {
		for each := range p.told {
			if !known(each) {
				delete(p.told, each)
			}
		}
	}
	if len(p.told) >= maxPagesTold {
		if name = ""; known(name) {
			return name, false
		}
	}
	if p.told == nil {
		p.told = map[string]time.Time{}
	}
	p.told[name] = now
	return name, true
}

// RefusePage refuses a request of a page that may not use the server. It says so to whoever
// can change that: in the log, and in an answer that a browser shows to the developer of
// the page and not to the page.
func (s *Gate) RefusePage(r *http.Request) *refusal.Refusal {
	header := r.Header.Get("Origin")
	if header == "" {
		return refuseOrigin
	}
	page, named := origin.Parse(header)
	name, why := page.String(), ""
	switch {
	case named:
		why = behindProxy(r, page)
	case header == "null":
		name, why = "null", "a file, a sandboxed frame and a redirect from another site have no origin, and cannot be allowed"
	default:
		name, why = "malformed", "the Origin is none that a browser sends"
	}
	host := r.Host
	if _, ok := ownOrigin(r); !ok {
		host = "malformed" // and perhaps long
	}
	about := []any{"origin", name, "host", host}
	if named {
		about = append(about, "setting", s.originsWith(name))
	}
	if why != "" {
		about = append(about, "why", why)
	}
	s.warnOfPage(name, "a page was refused: its origin is not one of Options.Origins (--origins). The log says so of each once a minute", about...)
	refused := *refuseOrigin
	refused.Message = "pages of the origin " + name + " may not use this server"
	if named {
		refused.Message += ": its setting origins (--origins, Options.Origins) does not list it"
	}
	if why != "" {
		refused.Message += "; " + why
	}
	return &refused
}

// refuseName refuses a request under a name that is not the server's. The log tells of
// those that pages make, such as a dev server's under the name of its machine.
func (s *Gate) refuseName(r *http.Request) *refusal.Refusal {
	if _, page := origin.Parse(r.Header.Get("Origin")); page {
		if named, ok := origin.Of("http", r.Host); ok {
			hosts := append(slices.Clone(s.Options.Hosts), named.Host())
			s.warnOfPage("host "+named.Host(), "a page was refused: it uses a name that is not one of Options.Hosts (--hosts), where only names belong that are this server's. The log says so of each once a minute",
				"host", named.Host(), "setting", "--hosts "+strings.Join(hosts, ","))
		}
	}
	return refuseHost
}

func (s *Gate) warnOfPage(key, text string, about ...any) {
	switch as, due := s.refusedPages.due(key); {
	case !due:
	case as == "":
		s.Options.Logger.Warn("more pages were refused than are told of in a minute", "told", maxPagesTold)
	default:
		s.Options.Logger.Warn(text, about...)
	}
}

// originsWith is the flag that allows an origin too.
func (s *Gate) originsWith(name string) string {
	list := strings.Join(append(slices.Clone(s.Options.Origins), name), ",")
	if len(list) > maxCommand {
		list = "…," + name
	}
	if strings.ContainsAny(list, "[]*") {
		list = "'" + list + "'" // shells have a meaning for these
	}
	return "--origins " + list
}

// behindProxy says what a proxy has done that a page looks foreign. "": there is
// none, or it does not show.
func behindProxy(r *http.Request, page origin.Origin) string {
	own, ok := ownOrigin(r)
	if !ok {
		return ""
	}
	if encrypted, _ := origin.Of("https", r.Host); encrypted == page && r.TLS == nil {
		return "a proxy that ends TLS is between them, so the server's own origin has to be listed, too"
	}
	const passOn = "it should pass on the Host that it gets (changeOrigin: false for Vite and http-proxy)"
	site := r.Header.Get("Sec-Fetch-Site")
	forwarded, fits := origin.Of(page.Scheme(), r.Header.Get("X-Forwarded-Host"))
	switch {
	case strings.EqualFold(site, "same-origin"), fits && forwarded == page:
		return "a proxy between them has made the Host " + r.Host + ": " + passOn
	case site == "" && page.Local() && own.Local(): // browsers do not say it of a socket
		return "if a proxy is between them, " + passOn
	}
	return ""
}
