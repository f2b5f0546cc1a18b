package gateway

// givenBack is a failure after which the answers are the human's again.
func givenBack(f *failure) error { return f }
