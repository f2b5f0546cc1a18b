-- range.lua: a page of a thread's log.
--
-- KEYS  rec, log, big
-- ARGS
--   member
--   epoch
--   first   position
--   limit   0: the caller has read them itself
--   follow  as in read.lua
--
-- Returns {0 ok, 1 trimmed or 2 another epoch, epoch, end of the log, where its list begins,
--   bytes in that, elements, which of the list is the first of them, how many the list has}: no more
--   elements than fill a page (leading in thread.lua), one at least if there is one and one is
--   wanted. An event in them may be a mark (marks.go).

local r = open(KEY.rec)
create(KEY.rec, r, ARG.member, 2 * tonumber(ARG.follow))
local first, limit = tonumber(ARG.first), tonumber(ARG.limit)
if r.epoch ~= ARG.epoch then return { 2, r.epoch, r.seq, 0, 0, {}, 0, 0 } end
if first < retainedFrom(r) then return { 1, r.epoch, r.seq, 0, 0, {}, 0, 0 } end
local list, place, all = {}, 0, 0
if limit > 0 then list, place, all = leading(r, KEY.log, KEY.big, first, limit) else all = redis.call('LLEN', KEY.log) end
return { 0, r.epoch, r.seq, r.base, r.bytes, list, place, all }
