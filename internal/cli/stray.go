package cli

// stray is a variable that has the name of a setting and sets none.
type stray struct {
	name    string
	nearest string // what was probably meant; "" when nothing is like it
}

func (s stray) String() string {
	return s.name + " is no setting" + meant(s.nearest)
}
