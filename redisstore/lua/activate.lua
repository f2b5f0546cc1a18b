-- activate.lua: start a dispatch that was claimed from the queue.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  run
-- ARGV[9]  token
-- ARGV[10] dispatch epoch
-- ARGV[11] execution
-- ARGV[12] frozen
-- ARGV[13] agent
-- then     the events to log
--
-- Returns {verdict (as fence, and PAUSED), epoch, end of the log}.

local t, member, run = keysOf(KEYS), ARGV[7], ARGV[8]
local r = open(t.rec)
local paused = r.pause == '1' and PAUSED or 0
local verdict = fence(r, run, ARGV[9], tonumber(ARGV[10]), 1, r.seq)
if verdict == STORED then
  -- The first batch of a claim that was not taken from the queue is no start.
  return { r.kind == 'q' and OK + paused or MISMATCH, r.epoch, r.seq }
end
if verdict ~= OK then return { verdict, r.epoch, r.seq } end
local d = getRun(t, run)
if d.status ~= 'active' or d.started > 0 then return { MISMATCH, r.epoch, r.seq } end

local start = r.seq
append(r, t.log, t.big, ARGV, 14, #ARGV)
publish(t.followers, member, r.epoch, start + 1, ARGV, 14, #ARGV)
execute(t, ARGV[11], ARGV[13], ARGV[12])
forget(t, d)
d.started, d.execution = start + 1, ARGV[11]
putRun(t, d)
r.cn, r.latest = 1, run
decide(t, r)
return { OK + paused, r.epoch, r.seq }
