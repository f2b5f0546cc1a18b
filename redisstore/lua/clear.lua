-- clear.lua: take out a list of messages that are no more, or of a decision that is not made.
--
-- KEYS  rec, snap, producers
-- ARGS
--   stamp  names the decision; '': it was made
--
-- Returns how many lists are left.

local t = { rec = KEY.rec, snap = KEY.snap, producers = KEY.producers }
local r = open(t.rec)
return { mayHave(r, 'p') and clear(t, r, ARG.stamp) or 0 }
