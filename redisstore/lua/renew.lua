-- renew.lua: extend a claim's lease.
--
-- KEYS  rec, leases, ready, work
-- ARGS
--   member
--   run
--   token
--   depoch  the dispatch epoch
--   lease   ms
--
-- Returns 1, or 0 if the claim is lost.

local r = open(KEY.rec)
if not holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) then return 0 end
r.lease = NOW + tonumber(ARG.lease)
redis.call('HSET', KEY.rec, 'claim', claimOf(r))
redis.call('ZADD', KEY.leases, digits(r.lease), ARG.member)
if r.work ~= '' then withdraw({ rec = KEY.rec, ready = KEY.ready, work = KEY.work }, r, ARG.member) end
return 1
