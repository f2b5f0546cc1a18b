package metrics

// Login counts what happens to logins. Give it to login.New as Options.Observe.
func (m *Metrics) Login(provider, event string) {
	m.logins.WithLabelValues(provider, event).Inc()
}
