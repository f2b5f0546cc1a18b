package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aguiws/aguiws/adapter/store"
)

// questions asks the store for what waits for people when it is asked itself.
type questions struct {
	inbox        store.Inbox
	open, oldest *prometheus.Desc
}

func newQuestions(inbox store.Inbox) questions {
	return questions{inbox,
		prometheus.NewDesc("aguiws_open_questions", "Threads with open questions in the store.", nil, nil),
		prometheus.NewDesc("aguiws_open_questions_oldest_seconds", "How long the oldest of them has been open.", nil, nil)}
}

func (q questions) Describe(ch chan<- *prometheus.Desc) {
	ch <- q.open
	ch <- q.oldest
}

// Collect leaves the metrics out when the store does not answer in time.
func (q questions) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	open, err := store.OpenQuestions(ctx, q.inbox)
	if err != nil {
		return
	}
	ch <- prometheus.MustNewConstMetric(q.open, prometheus.GaugeValue, float64(open.Threads))
	var age time.Duration
	if open.Threads > 0 {
		age = max(time.Since(open.Since), 0)
	}
	ch <- prometheus.MustNewConstMetric(q.oldest, prometheus.GaugeValue, age.Seconds())
}
