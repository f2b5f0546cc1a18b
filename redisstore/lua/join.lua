-- join.lua: append a batch of the active run that takes inputs out of the queue.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run
--   token
--   depoch   the dispatch epoch
--   number
--   expect   position
--   taken    how many inputs
--   events   how many
--   elements of the log, how many
-- REST  of each input, the run that it waits as and the terminal event of that; the
--   elements; the entries
--
-- Returns {verdict (as fence, PAUSED and JOINS, or GONE), epoch, end of the log, for each
--   input the two events that its sender is owed}. GONE: one of the inputs waits no more,
--   and nothing is changed.

local GONE = 32

local t, member = keysOf(KEYS), ARG.member
local r, joins = open(t.rec, 'join')
local expect = tonumber(ARG.expect)
local events = REST + 2 * tonumber(ARG.taken)
local entries = events + tonumber(ARG.elements)

local verdict = fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), expect)
if verdict == OK then
  local taken, owed = {}, {}
  for i = REST, events - 1, 2 do
    local d = getRun(t, ARGV[i])
    if not d or d.status ~= 'queued' then return { GONE, r.epoch, r.seq } end
    taken[#taken + 1] = d
  end
  for i, d in ipairs(taken) do
    redis.call('HSET', t.disp, '2:' .. d.id, ARGV[REST + 2 * i - 1])
    d.terminal = ARGV[REST + 2 * i - 1]
    dequeue(t, d, 'acked', '')
    owed[i] = cancellation(t, d.id)
    tell(r, member, owed[i])
  end
  append(r, t.log, t.big, ARGV, events, entries - 1, tonumber(ARG.events))
  piecewise('RPUSH', t.journal, ARGV, entries, #ARGV)
  if entries <= #ARGV then gets(r, 'j') end
  r.cn = tonumber(ARG.number)
  decide(t, r)
  publish(r.nodes, member, r.epoch, ARGV, events, entries - 1)
  local last = joins and getRun(t, joins)
  if joins and not (last and last.status == 'queued') then
    redis.call('HDEL', t.rec, 'join')
    joins = false
  end
  return { (r.pause == '1' and PAUSED or 0) + (joins and JOINS or 0), r.epoch, r.seq, owed }
end
if verdict ~= STORED then return { verdict, r.epoch, r.seq } end
local owed = {}
for i = REST, events - 1, 2 do owed[#owed + 1] = cancellation(t, ARGV[i]) end
return { (r.pause == '1' and PAUSED or 0) + (joins and JOINS or 0), r.epoch, r.seq, owed }
