package meter

import "github.com/prometheus/client_golang/prometheus"

// Figure is a metric that is known when it is asked for.
type Figure struct {
	Name, Help string // the name without its beginning aguiws_
	Labels     []string
	Type       prometheus.ValueType
}

// OnScrape collects figures: tell is called for them each time that they are asked for. What
// it leaves out is not there.
func OnScrape(ask func(tell func(name string, value float64, labels ...string)), figures ...Figure) prometheus.Collector {
	s := scraped{ask, map[string]Figure{}, map[string]*prometheus.Desc{}}
	for _, f := range figures {
		s.figures[f.Name], s.descs[f.Name] = f, prometheus.NewDesc("aguiws_"+f.Name, f.Help, f.Labels, nil)
	}
	return s
}

type scraped struct {
	ask     func(tell func(name string, value float64, labels ...string))
	figures map[string]Figure
	descs   map[string]*prometheus.Desc
}

// Describe is prometheus.Collector's.
func (s scraped) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range s.descs {
		ch <- d
	}
}

// Collect is prometheus.Collector's.
func (s scraped) Collect(ch chan<- prometheus.Metric) {
	s.ask(func(name string, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(s.descs[name], s.figures[name].Type, value, labels...)
	})
}
