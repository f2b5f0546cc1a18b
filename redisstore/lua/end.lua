-- end.lua: append a run's last batch and end the run.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  run
-- ARGV[9]  token
-- ARGV[10] dispatch epoch
-- ARGV[11] number
-- ARGV[12] expected position
-- ARGV[13] kind       'suspend', 'finish', 'fail' or 'cancel'
-- ARGV[14] suspension
-- ARGV[15] give back  1 or 0
-- ARGV[16] snapshot   1 or 0
-- ARGV[17] state      '' : unchanged
-- ARGV[18] order      '' : unchanged
-- ARGV[19] keep       ms for which labels and answers are kept
-- ARGV[20] retain     events kept in the log
-- ARGV[27] deadline   of the suspension, Unix ms; 0: none
-- ARGV[28] reasons    of the suspension, their digests one after the other
-- ARGV[29] bytes      kept in the log
-- ARGV[30] age        ms for which events are kept in the log
-- ARGV[21..26]        numbers of events, records, interrupt ids, tool call
--                     ids, messages (id and message), removed message ids
-- then those, in that order
--
-- Returns {verdict (as fence), epoch, end of the batch, ready, gave back, logged
--   before, events logged after the batch}; of a call sent again, without events.

local t, member, run = keysOf(KEYS), ARGV[7], ARGV[8]
local r = open(t.rec)
local expect = tonumber(ARGV[12])

local stamp = stampOf(ARGV[9], ARGV[11])
local d = getRun(t, run)
if d and d.stamp == stamp then return { OK, r.epoch, d.finish, d.ready, d.gave, r.seq, {} } end
local verdict = fence(r, run, ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11]), expect)
if verdict == STORED then verdict = MISMATCH end
if verdict ~= OK then return { verdict, r.epoch, r.seq, 0, 0, r.seq, {} } end

local at = 31
local function part(i, width)
  local first = at
  at = at + tonumber(ARGV[20 + i]) * (width or 1)
  return first, at - 1
end
local e1, e2 = part(1)
local j1, j2 = part(2)
local i1, i2 = part(3)
local c1, c2 = part(4)
local m1, m2 = part(5, 2)
local x1, x2 = part(6)

append(r, t.log, t.big, ARGV, e1, e2)
push(t.journal, ARGV, j1, j2)
r.bound = r.seq
local finish = r.seq

if ARGV[16] == '1' then
  if ARGV[17] ~= '' then redis.call('HSET', t.snap, 's', ARGV[17]) end
  if ARGV[18] ~= '' then redis.call('HSET', t.snap, 'o', ARGV[18]) end
  for i = m1, m2, 2 do redis.call('HSET', t.snap, 'm' .. ARGV[i], ARGV[i + 1]) end
  for i = x1, x2 do redis.call('HDEL', t.snap, 'm' .. ARGV[i]) end
  r.snapat = r.seq
end

d.attempts = r.attempts
unclaim(t, r, member)
local ready, gave = 0, 0
if ARGV[13] == 'suspend' then
  for i = i1, i2 do redis.call('HDEL', t.memo, 'a:' .. ARGV[i]) end
  for i = c1, c2 do redis.call('HSET', t.memo, 'c:' .. ARGV[i], 1) end
  -- The first millisecond after the deadline is when it wants a claim.
  suspend(t, member, ARGV[14], ARGV[27] ~= '0' and tonumber(ARGV[27]) + 1, ARGV[28], ARGV, i1, i2)
elseif ARGV[15] == '1' and giveBack(t, member, d.execution) then
  gave = 1
else
  redis.call('DEL', t.journal)
  redis.call('PEXPIRE', t.memo, ARGV[19])
  if release(t, r, member) then
    nudge(member)
    ready = 1
  end
end
d.status, d.stamp, d.finish, d.ready, d.gave = 'ended', stamp, finish, ready, gave
move(t, d, 'acked')
-- While a suspension is open its run's terminal event is read from the log.
if ARGV[13] ~= 'suspend' then setTerminal(t, d, plain(ARGV[e2])) end
putRun(t, d)

mark(r, tonumber(ARGV[30]))
trim(t, r, tonumber(ARGV[20]), tonumber(ARGV[29]), tonumber(ARGV[30]))
decide(t, r)

local extra = r.extra or {}
publish(t.followers, member, r.epoch, expect + 1, ARGV, e1, e2)
publish(t.followers, member, r.epoch, finish + 1, extra, 1, #extra)
return { OK, r.epoch, finish, ready, gave, finish, extra }
