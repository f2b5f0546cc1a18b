-- journal.lua: the live execution and its journal, for the holder of a claim.
--
-- KEYS  all of the thread's
-- ARGS
--   run
--   token
--   depoch  the dispatch epoch
--   known   1: what is frozen, and the entries, have been read
--
-- Returns {} if the claim is lost, else {id, agent, frozen, began, the journal's first entries, how many
--   it has, position of RUN_STARTED, takeovers, ms for which the run has been active, undo}.

local t = keysOf(KEYS)
local r = open(t.rec)
if not holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) then return {} end
return carried(t, r, getRun(t, r.run), ARG.known == '1')
