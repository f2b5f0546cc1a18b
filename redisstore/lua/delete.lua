-- delete.lua: forget a thread in which nothing is going on.
--
-- KEYS    the thread's keys
-- ARGV[7] member
-- ARGV[8] remember   ms for which the record keeps what must not be used again
--
-- Returns {1, epoch}, or {0, ''} when a run is active or waits, or an interrupt
--   is open. epoch: the one under which the log begins again; '' when nobody has
--   used the thread or followed it.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
if r.run ~= '' or suspended(t) or redis.call('EXISTS', t.queue) == 1 then return { 0, '' } end
if redis.call('HEXISTS', t.rec, 'input') == 0 then return { 1, r.new and '' or r.epoch } end
erase(t, r, member, ARGV[8])
return { 1, ARGV[3] }
