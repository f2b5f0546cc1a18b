package gateway

import (
	"net/http"
	"strconv"
)

// HopsHeader tells in each request how many gateways it has passed, this one included, as
// far as the caller's comes along with its run (admission.Input.Headers): the same two before
// one another would ask each other for ever.
const HopsHeader = "Aguiws-Hops"

// maxHops is how many gateways a request may pass.
const maxHops = 8

// hops is how many gateways a request has passed that has the header; 0: it does not say.
func hops(value string) int {
	n, _ := strconv.ParseUint(value, 10, 64) // of what is too large the largest
	return int(min(n, maxHops+1))
}

// tooFar refuses a request that has passed too many.
func tooFar(header http.Header) error {
	if hops(header.Get(HopsHeader)) <= maxHops {
		return nil
	}
	return failed(CodeRefused, "the request has passed %d gateways: one of them stands in front of itself", maxHops)
}
