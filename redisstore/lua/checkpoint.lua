-- checkpoint.lua: move the snapshot of a thread to the log's end while no execution
-- goes on or is to, if the thread is as it was read.
--
-- KEYS  all of the thread's
-- ARGS
--   version  that was read
--   epoch    that was read
--   from     where the snapshot was
--   at       position of the log's end
--   state    '': unchanged
--   whole    as in end.lua
--   drop     as in end.lua
--   stamp    as in end.lua
--   retain   events kept in the log
--   bytes    kept in the log
--   age      ms for which events are kept in the log
--   pieces   of the order, how many
--   messages how many, with their ids
--   removed  how many ids of messages
-- REST  those, in that order, as in end.lua
--
-- Returns {0} when the thread is another, and nothing is changed; {1, 1 if something may be left to trim}:
--   the snapshot is at the position. {PIECES, stamp} as in end.lua.

local t = keysOf(KEYS)
local r = open(t.rec)
local at = tonumber(ARG.at)
if r.epoch ~= ARG.epoch then return { 0 } end
if r.snapat == at then return { 1, 1 } end
-- An execution that is to go on counts from where the snapshot was.
if r.run ~= '' or getExecution(t) then return { 0 } end
if r.ver ~= tonumber(ARG.version) or r.snapat ~= tonumber(ARG.from) or r.seq ~= at then return { 0 } end

local m1 = REST + 3 * tonumber(ARG.pieces)
local x1 = m1 + 2 * tonumber(ARG.messages)
local snapshot = { state = ARG.state, frozen = '', whole = ARG.whole == '1', drop = tonumber(ARG.drop),
  o1 = REST, o2 = m1 - 1, m1 = m1, m2 = x1 - 1, x1 = x1, x2 = x1 + tonumber(ARG.removed) - 1 }
local other
snapshot.brought, other = brought(t, r, ARG.stamp)
if other then return { PIECES, other } end
local was = stored(t, r, snapshot, ARGV)
resnap(t, r, snapshot, ARGV, was)
mark(r, tonumber(ARG.age))
local more = trim(t, r, tonumber(ARG.retain), tonumber(ARG.bytes), tonumber(ARG.age), 1)
if more then redis.call('HSET', t.rec, 'look', NOW) end
decide(t, r)
return { 1, more and 1 or 0 }
