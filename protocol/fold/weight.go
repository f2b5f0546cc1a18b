package fold

// messageWeight is about how many bytes a fold takes for a message beside what it says.
const messageWeight = 640

// Weight is about how many bytes of memory the fold takes. Clones share nearly all of
// them.
func (f *Fold) Weight() int { return f.log.bytes + f.log.n*messageWeight + len(f.state) }
