-- retire.lua: take from a thread what is past its retention.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   retain    events kept in the log
--   bytes     kept in the log
--   age       ms for which events are kept
--   keep      ms for which runs are kept
--   ttl       ms for which the thread is kept at rest; 0: for ever
--   remember  as in delete.lua
--   cursor    in the runs, or in the labels, or t: what is left is in the log or in pieces; '0' at first
--   look      ms after which to look again at a thread whose runs grow older
--
-- Returns {cursor, epoch, owner}: the cursor to go on with, '0' when the thread is done;
--   the epoch under which the log begins again if the thread was erased, else ''; for whom it
--   had counted.

local t, member = keysOf(KEYS), ARG.member
local r = open(t.rec)
local input = tonumber(redis.call('HGET', t.rec, 'input') or 0)
if input == 0 then return { '0', '', '' } end

local age, keep, ttl = tonumber(ARG.age), tonumber(ARG.keep), tonumber(ARG.ttl)
local used = math.max(input, lastMark(r))
local busy = r.run ~= '' or redis.call('EXISTS', t.queue) == 1
local waits = suspended(t)
local rested = not busy and not waits and NOW - used >= keep
if ttl > 0 and not busy and not waits and NOW - used >= ttl then
  return { '0', ARG.fresh, erase(t, r, member, ARG.remember) }
end

-- Behind the runs come the labels, whose cursors begin with an l.
local cursor, before = ARG.cursor, r.base
local labels = string.match(cursor, '^l(.*)')
if cursor == 't' then
  cursor = '0'
elseif not labels then
  cursor = prune(t, r, cursor, keep)
  if cursor == '0' then labels = '0' end
end
local x = getExecution(t)
if labels then
  labels = unlabel(t, labels, rested)
  if rested and not x then redis.call('HDEL', t.runs, 'x', 'f') end
  cursor = labels == '0' and '0' or 'l' .. labels
end
if trim(t, r, tonumber(ARG.retain), tonumber(ARG.bytes), age, 2) and cursor == '0' then cursor = 't' end
-- Whoever brought or cleared pieces is gone, or will find that they are.
if not busy and mayHave(r, 'p') and clear(t, r) > 0 and cursor == '0' then cursor = 't' end
if r.base > before then redis.call('HSET', t.rec, 'base', r.base, 'len', r.bytes, 'marks', r.marks) end

-- When it is worth while to look again, if nothing happens in between. A thread
-- that waits with its first log need not say so: its first mark does.
if cursor == '0' then
  local look = math.huge
  local function at(time) look = math.min(look, math.max(time, NOW + 1)) end
  if busy then at(NOW + tonumber(ARG.look)) end
  if not busy and not waits and NOW - used < keep then at(math.min(NOW + tonumber(ARG.look), used + keep)) end
  if r.marks ~= '' and r.base <= r.snapat then at(markOf(r, 1) + age) end
  if ttl > 0 and not waits then at(used + ttl) end
  if not busy and x and (x.till or '') ~= '' then at(tonumber(x.till)) end
  if not waits or r.base > r.snapat or redis.call('HEXISTS', t.rec, 'look') == 1 then
    redis.call('HSET', t.rec, 'look', look < math.huge and string.format('%.0f', look) or 0)
  end
end
return { cursor, '', '' }
