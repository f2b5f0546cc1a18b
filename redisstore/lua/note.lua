-- note.lua: append one batch whose records are bookkeeping.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  run
-- ARGV[9]  token
-- ARGV[10] dispatch epoch
-- ARGV[11] number
-- ARGV[12] expected position
-- ARGV[13] 1 if closing is given
-- ARGV[14] closing
-- ARGV[15] number of events
-- then     the events, the records
--
-- Returns {verdict (as fence, and PAUSED), epoch, end of the log}.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
local expect, last = tonumber(ARGV[12]), 15 + tonumber(ARGV[15])

local verdict = fence(r, ARGV[8], ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11]), expect)
if verdict == OK then
  append(r, t.log, t.big, ARGV, 16, last)
  note(t, getRun(t, r.run), ARGV, last + 1, #ARGV)
  redis.call('HSET', t.rec, 'seq', r.seq, 'len', r.bytes, 'cn', ARGV[11])
  if ARGV[13] == '1' then redis.call('SET', t.closing, ARGV[14]) end
  publish(t.followers, member, r.epoch, expect + 1, ARGV, 16, last)
elseif verdict == STORED then
  verdict = OK
end
if verdict == OK and r.pause == '1' then verdict = OK + PAUSED end
return { verdict, r.epoch, r.seq }
