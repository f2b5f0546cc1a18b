-- journal.lua: the live execution and its journal, for the holder of a claim.
--
-- KEYS  all of the thread's
-- ARGS
--   run
--   token
--   depoch  the dispatch epoch
--
-- Returns {0} if the claim is lost, else {1, id, agent, frozen, began, journal,
--   position of RUN_STARTED, takeovers, ms for which the run has been active, undo}.

local t = keysOf(KEYS)
local r = open(t.rec)
if not holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) then return { 0 } end
local id, agent, began = executing(t)
local frozen, undo = frozenOf(t)
return { 1, id or '', agent or '', frozen, began or 0, redis.call('LRANGE', t.journal, 2, -1),
  getRun(t, r.run).started, math.max(r.attempts - 1, 0), activeFor(r), undo }
