-- nack.lua: give a claim back, to be tried again or to be a dead letter.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run
--   token
--   depoch    the dispatch epoch
--   how       'nack', 'bury' or 'back' (the attempt does not count)
--   wait      ms for which it is not claimed; 0: at once
--   error     '': as before
--   terminal  the terminal event of a dead letter
--   giveback  1 or 0: a dead letter's decisions
--   keep      ms for which a dead letter's execution is kept
--
-- Returns {state, ready, gave back, epoch, logged before, events logged}; state
--   'queued' or 'dead_letter', '': the claim is lost.

local t, member, how = keysOf(KEYS), ARG.member, ARG.how
local r = open(t.rec)
local before, stamp = r.seq, stampOf(ARG.token, 'nack')
local d = getRun(t, ARG.run)
if d and how ~= 'back' and d.stamp == stamp then
  return { d.state == 'dead_letter' and d.state or 'queued', d.ready, d.gave, r.epoch, before, {} }
end
if not holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) then return { '', 0, 0, r.epoch, before, {} } end

local wait, activated = tonumber(ARG.wait), d.started > 0
local retry = NOW + wait
if how == 'back' then
  r.attempts = math.max(r.attempts - 1, 0)
else
  d.stamp, d.finish = stamp, 0
end
if ARG.error ~= '' then d.error = ARG.error end
d.ready, d.gave = 0, 0
if how == 'bury' or how == 'nack' and r.attempts >= d.max then
  cut(t, r, member, d, ARG.terminal, 'dead_letter', d.error)
  bury(t, d)
  notice(t, member, 'dispatch.dead', { run = d.id, label = d.label, agent = d.agent })
  if ARG.giveback == '1' and activated and giveBack(t, r, member, d, 0, '') then
    d.gave, d.headers = 1, ''
  else
    rests(t, ARG.keep)
    d.ready = release(t, r, member) and 1 or 0
  end
else
  move(t, d, 'queued')
  d.attempts = r.attempts
  if activated then
    -- The thread stays this run's. It is taken over like one whose lease has ended.
    -- At once means at any time, also by a clock that is behind this one.
    r.token, r.node, r.cn, r.kind, r.lease = '', '', 0, '', wait > 0 and retry - 1 or 0
    withdraw(t, r, member)
    if wait > 0 then
      redis.call('ZADD', t.leases, r.lease, member)
    else
      redis.call('ZREM', t.leases, member)
      offer(t, r, member, agentOf(t, d))
    end
    d.available = wait > 0 and retry or 0
    d.ready = wait == 0 and 1 or 0
  else
    d.status, d.available = 'queued', wait > 0 and retry or 0
    putRun(t, d)
    unclaim(t, r, member)
    local head = redis.call('ZRANGE', t.queue, 0, 0, 'WITHSCORES')
    enqueue(t, r, d, head[2] and math.min(rank(d), tonumber(head[2]) - 1) or rank(d))
    d.ready = release(t, r, member) and 1 or 0
  end
end
putRun(t, d)
if d.ready == 1 then nudge(t, r, member) end
decide(t, r)
local extra = r.extra or {}
publish(r.nodes, member, r.epoch, extra, 1, #extra, before + 1)
return { d.state, d.ready, d.gave, r.epoch, before, extra }
