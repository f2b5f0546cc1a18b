-- offer.lua: offer a thread that a partition says is due, if it wants a worker, or look
-- whether what offers it is still there.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run     queued by an older server, which did not say whose it is; '': none
--   agent   of it
--
-- Returns {epoch, logged before, events, offered, for how many ms it has been, agent, run,
--   input}: whether it is offered, and to whose workers; a queued run of which that is
--   not known, and its input.

local t, member = keysOf(KEYS), ARG.member
local r = open(t.rec)
local before = r.seq

if ARG.run ~= '' and redis.call('HEXISTS', t.disp, 'i:' .. ARG.run) == 1 then
  redis.call('HSETNX', t.disp, 'g:' .. ARG.run, ARG.agent)
end
local id, lost, agent = entryOf(r)
if id then
  if #redis.call('XRANGE', t.work .. agent, id, id) == 0 then
    unoffer(t, r, member) -- somebody has taken it out by hand
  else
    check(t, member, NOW + RECHECK)
    redis.call('ZREM', t.ready, member) -- where servers before looked for what to check
  end
else
  check(t, member) -- what such a server has taken back
end

local unnamed = ''
local function offerRun(run)
  local d = getRun(t, run)
  local whose = agentOf(t, d)
  if not whose then unnamed = run end
  offer(t, r, member, whose)
end
if r.run ~= '' then
  if NOW <= r.lease then
    withdraw(t, r, member)
    redis.call('ZADD', t.leases, r.lease, member)
  else
    redis.call('ZREM', t.leases, member)
    offerRun(r.run)
  end
elseif suspended(t) then
  local at = lost or pastDeadline(t, r, member)
  if at and at <= NOW then
    local _, whose = executing(t)
    offer(t, r, member, whose, at)
  end
else
  redis.call('ZREM', t.leases, member)
  local head = release(t, r, member, true)
  if head then offerRun(head) end
  publish(t.followers, member, r.epoch, before + 1, r.extra or {}, 1, r.seq - before)
  if r.seq > before then decide(t, r) end
end
id, lost, agent = entryOf(r)
local waited = 0
if id then
  local t = redis.call('TIME')
  waited = math.max(tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) - tonumber(string.match(id, '^%d+')), 0)
end
return { r.epoch, before, r.extra or {}, id and 1 or 0, waited, agent or '',
  unnamed, unnamed ~= '' and redis.call('HGET', t.disp, 'i:' .. unnamed) or '' }
