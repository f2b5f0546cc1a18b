-- quotas.lua: count what an input takes of its owner, unless that is too much.
--
-- KEYS  runs, owned, inputs
-- ARGS
--   run      '': none
--   hold     ms for which it counts
--   renews   1: the list of runs is to stay for twice as long from now on
--   runs     at once; negative: no limit
--   thread   '': none
--   made     its name as one that was made, and has had no input
--   makes    1: it is to be made
--   threads  negative: no limit
--   rate     inputs a minute; negative: no limit
--   burst    of them, how many may come at once
--
-- Returns {over, ms to wait, threads are full}: over 0 nothing, 1 inputs, 2 runs.

local rate = tonumber(ARG.rate)
if rate > 0 then
  -- due is when as many inputs would have come, one a gap.
  local gap = 60000 / rate
  local due = math.max(tonumber(redis.call('GET', KEY.inputs) or 0), now())
  local wait = due - now() - gap * (tonumber(ARG.burst) - 1)
  if wait > 0 then return { 1, math.ceil(wait), 0 } end
  redis.call('SET', KEY.inputs, string.format('%.3f', due + gap), 'PX', math.ceil(due + gap - now()))
end

-- counts reports whether the owner has no more than so many of n runs; -1: any number. Runs that have
-- expired are struck out only when there are FEW more, or too many: to look for them at each input
-- would cost more than they do.
local FEW = 64
local function counts(n, runs)
  if n % FEW > 0 and (runs < 0 or n <= runs) then return true end
  n = n - redis.call('ZREMRANGEBYSCORE', KEY.runs, '-inf', now())
  return runs < 0 or n <= runs
end

-- A list that begins stays for twice as long as a run counts. Each server sees to it, in the time
-- of one, that a list on which it puts runs stays for that long again.
if ARG.run ~= '' then
  local new, n = redis.call('ZADD', KEY.runs, digits(now() + tonumber(ARG.hold)), ARG.run), 1
  if new == 1 then
    n = redis.call('ZCARD', KEY.runs)
    if not counts(n, tonumber(ARG.runs)) then
      redis.call('ZREM', KEY.runs, ARG.run)
      return { 2, 0, 0 }
    end
  end
  if n == 1 or ARG.renews == '1' then redis.call('PEXPIRE', KEY.runs, 2 * tonumber(ARG.hold)) end
end

local threads, full = tonumber(ARG.threads), 0
local name = ARG.makes == '1' and ARG.made or ARG.thread
if ARG.thread ~= '' and not redis.call('ZSCORE', KEY.owned, name) then
  local counts = ARG.makes == '0' and redis.call('ZREM', KEY.owned, ARG.made) == 1
  if not counts and threads >= 0 and redis.call('ZCARD', KEY.owned) >= threads then
    full = 1
  else
    redis.call('ZADD', KEY.owned, now(), name)
  end
end
return { 0, 0, full }
