-- offer.lua: offer a thread that a partition says is due, if it wants a worker, or look
-- whether what offers it is still there.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--
-- Returns {epoch, logged before, events, offered, for how many ms it has been, agent}:
--   whether it is offered, and to whose workers.

local t, member = keysOf(KEYS), ARG.member
local r = open(t.rec)
local before = r.seq

local id, lost, agent = entryOf(r)
if id then
  if #redis.call('XRANGE', t.work .. agent, id, id) == 0 then
    unoffer(t, r, member) -- somebody has taken it out by hand
  else
    check(t, member, NOW + RECHECK)
    redis.call('ZREM', t.ready, member)
  end
else
  check(t, member)
end

local function offerRun(run)
  offer(t, r, member, agentOf(t, getRun(t, run)) or error('the agent of run ' .. run .. ' is missing'))
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
  publish(r.nodes, member, r.epoch, r.extra or {}, 1, #(r.extra or {}), before + 1)
  if r.seq > before then decide(t, r) end
end
id, lost, agent = entryOf(r)
local waited = 0
if id then
  local t = redis.call('TIME')
  waited = math.max(tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) - tonumber(string.match(id, '^%d+')), 0)
end
return { r.epoch, before, r.extra or {}, id and 1 or 0, waited, agent or '' }
