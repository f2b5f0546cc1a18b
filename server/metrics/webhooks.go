package metrics

import "github.com/aguiws/aguiws/server/webhook"

// Webhook counts a try. Give it to webhook.New as Options.Observe.
func (m *Metrics) Webhook(t webhook.Try) {
	m.webhooks.WithLabelValues(t.Target, string(t.Outcome)).Inc()
	m.webhookTime.WithLabelValues(t.Target).Observe(t.Took.Seconds())
}
