-- midrun.lua: move the snapshot to the log's end while its run goes on.
--
-- KEYS  all of the thread's
-- ARGS
--   run
--   token
--   depoch   the dispatch epoch
--   number
--   expect   position
--   state    '': unchanged
--   frozen   '': unchanged
--   open     what the run has open
--   undo     for who goes on with the run
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
-- Returns {verdict (as fence, PAUSED and JOINS), epoch, end of the log, 1 if something is left to trim}; {PIECES, stamp} as in end.lua.

local t = keysOf(KEYS)
local r, joins = open(t.rec, 'join')
local more = false

local verdict = fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), tonumber(ARG.expect))
if verdict == OK then
  local m1 = REST + 3 * tonumber(ARG.pieces)
  local x1 = m1 + 2 * tonumber(ARG.messages)
  local snapshot = { state = ARG.state, frozen = ARG.frozen, open = ARG.open, whole = ARG.whole == '1', drop = tonumber(ARG.drop),
    o1 = REST, o2 = m1 - 1, m1 = m1, m2 = x1 - 1, x1 = x1, x2 = x1 + tonumber(ARG.removed) - 1 }
  local other
  snapshot.brought, other = brought(t, r, ARG.stamp)
  if other then return { PIECES, other } end
  local was = stored(t, r, snapshot, ARGV)
  keepUndo(t, ARG.undo)
  resnap(t, r, snapshot, ARGV, was)
  putKept(t)
  mark(r, tonumber(ARG.age))
  more = trim(t, r, tonumber(ARG.retain), tonumber(ARG.bytes), tonumber(ARG.age), 1)
  if more then redis.call('HSET', t.rec, 'look', NOW) end
  redis.call('HSET', t.rec, 'cn', ARG.number, 'base', r.base, 'len', r.bytes, 'snapat', r.snapat, 'marks', r.marks, 'held', r.held, 'has', r.has)
elseif verdict == STORED then
  verdict = OK
end
if verdict == OK then
  if r.pause == '1' then verdict = verdict + PAUSED end
  if joins then verdict = verdict + JOINS end
end
return { verdict, r.epoch, r.seq, more and 1 or 0 }
