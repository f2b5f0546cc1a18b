-- journal.lua: the live execution and its journal, for the holder of a claim.
--
-- KEYS  all of the thread's
-- ARGS
--   run
--   token
--   depoch  the dispatch epoch
--
-- Returns {} if the claim is lost, else {id, agent, frozen, began, journal,
--   position of RUN_STARTED, takeovers, ms for which the run has been active, undo}.

local t = keysOf(KEYS)
local r = open(t.rec)
if not holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) then return {} end
return carried(t, r, getRun(t, r.run))
