package operate

import "github.com/aguiws/aguiws/adapter/store"

// openRun is the run that goes on or waits for answers; "": there is none.
func openRun(view *store.ThreadView, open *store.Suspension) string {
	switch {
	case view.Active != nil:
		return view.Active.ID
	case open != nil:
		return open.RunID
	}
	return ""
}
