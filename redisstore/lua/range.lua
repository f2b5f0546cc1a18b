-- range.lua: a page of a thread's log.
--
-- KEYS  rec, log, big
-- ARGS
--   member
--   epoch
--   first   position
--   limit
--   follow  as in read.lua
--
-- Returns {0 ok, 1 trimmed or 2 another epoch, epoch, end of the log, events}: no more of
--   them than fill a page (PAGE in thread.lua), one at least if there is one. An event may
--   be a mark (marks.go).

local r = open(KEY.rec)
create(KEY.rec, r, ARG.member, 2 * tonumber(ARG.follow))
local first = tonumber(ARG.first)
if r.epoch ~= ARG.epoch then return { 2, r.epoch, r.seq, {} } end
if first < retainedFrom(r) then return { 1, r.epoch, r.seq, {} } end
return { 0, r.epoch, r.seq, leading(r, KEY.log, KEY.big, first, tonumber(ARG.limit)) }
