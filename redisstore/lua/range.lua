-- range.lua: a page of a thread's log.
--
-- KEYS[1] rec
-- KEYS[2] log
-- KEYS[3] big
-- ARGV[7]  member
-- ARGV[8]  epoch
-- ARGV[9]  first   position
-- ARGV[10] limit
-- ARGV[11] follow  as in read.lua
--
-- Returns {0 ok, 1 trimmed or 2 another epoch, epoch, end of the log, events}: no more of
--   them than fill a page (PAGE in thread.lua), one at least if there is one.

local r = open(KEYS[1])
create(KEYS[1], r, ARGV[7], 2 * tonumber(ARGV[11]))
local first = tonumber(ARGV[9])
if r.epoch ~= ARGV[8] then return { 2, r.epoch, r.seq, {} } end
if first < r.base then return { 1, r.epoch, r.seq, {} } end
return { 0, r.epoch, r.seq, leading(r, KEYS[2], KEYS[3], first, tonumber(ARGV[10])) }
