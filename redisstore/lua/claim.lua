-- claim.lua: take the thread's next activation.
--
-- KEYS    the thread's keys
-- ARGV[7] member
-- ARGV[8] token
-- ARGV[9] lease   ms
--
-- Returns {kind, run, dispatch epoch, attempts, input, record, epoch, logged
--   before, events, fenced node, fenced token}; kind 0 nothing, 1 queued, 2
--   takeover, 3 a suspension past its deadline.

local t, member, token = keysOf(KEYS), ARGV[7], ARGV[8]
local r = open(t.rec)
local before = r.seq

local function answer(kind, node, old)
  local d = redis.call('HGET', t.disp, 'i:' .. r.run)
  return { kind, r.run, r.depoch, r.attempts, d, redis.call('HGET', t.runs, 'r:' .. r.run), r.epoch, before,
    r.extra or {}, node, old }
end
local function nothing(kind)
  return { kind or 0, '', r.depoch, 0, false, false, r.epoch, before, r.extra or {}, '', '' }
end

if token ~= '' and r.run ~= '' and r.token == token then return answer(r.kind == 'q' and 1 or 2, '', '') end

local node, old, kind = '', '', 1
if r.run ~= '' then
  if NOW <= r.lease then return nothing() end
  node, old = r.node, r.token
  local _, _, started = runState(t, r.run)
  if started > 0 then kind = 2 end
else
  if redis.call('EXISTS', t.susp) == 1 then
    -- A suspension stands among the ready ones by the time after its deadline.
    local since = redis.call('ZSCORE', t.ready, member)
    return nothing(since and tonumber(since) <= NOW and 3)
  end
  local offered = release(t, r, member)
  publish(t.followers, member, r.epoch, before + 1, r.extra or {}, 1, r.seq - before)
  if not offered then
    if r.seq > before then decide(t, r) end
    return nothing()
  end
  r.run = redis.call('ZRANGE', t.queue, 0, 0)[1]
  redis.call('ZREM', t.queue, r.run)
  local _, admitted, _, execution = runState(t, r.run)
  setRun(t, r.run, 'active', admitted, 0, execution)
end

r.token, r.node, r.cn, r.attempts = token, NODE, 0, r.attempts + 1
r.kind, r.lease = kind == 1 and 'q' or 't', NOW + tonumber(ARGV[9])
redis.call('ZADD', t.leases, r.lease, member)
redis.call('ZREM', t.ready, member)
fenced(node, member, old)
decide(t, r)
return answer(kind, node, old)
