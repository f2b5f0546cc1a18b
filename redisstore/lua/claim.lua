-- claim.lua: take the thread's next activation, or the one that is named.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   token
--   lease   ms
--   run     '': the next one
--   spare   1: not a run that has a holder
--   entry   what was delivered, its id and agent; '': nothing was
--   any     1: a run of any agent, else of those that follow
-- REST  the agents
--
-- Returns {kind, run, dispatch epoch, attempts, exhausted, input, record, headers,
--   epoch, logged before, events, fenced node, fenced token}; kind 0 nothing, 1 queued,
--   2 takeover, 3 a suspension past its deadline.

local t, member, token, named = keysOf(KEYS), ARG.member, ARG.token, ARG.run
local r = open(t.rec)
local before = r.seq

-- An entry that is not the thread's own asks for nobody.
local delivered, of = string.match(ARG.entry, '^(%d+%-%d+) (.*)$')
if delivered and delivered ~= entryOf(r) then settle(t, of, delivered) end

-- carries reports whether the caller carries runs of an agent.
local function carries(agent)
  if ARG.any == '1' or not agent then return true end
  for i = REST, #ARGV do
    if ARGV[i] == agent then return true end
  end
  return false
end

local function answer(kind, d, node, old)
  local input = redis.call('HGET', t.disp, 'i:' .. d.id)
  return { kind, d.id, r.depoch, r.attempts, r.attempts > d.max and 1 or 0, input, record(t, d), d.headers, r.epoch, before,
    r.extra or {}, node, old }
end
local function nothing(kind)
  return { kind or 0, '', r.depoch, 0, 0, false, false, '', r.epoch, before, r.extra or {}, '', '' }
end

if r.run ~= '' and r.token == token then return answer(r.kind == 'q' and 1 or 2, getRun(t, r.run), '', '') end

local node, old, kind, d = '', '', 1, nil
if r.run ~= '' then
  if named ~= '' and named ~= r.run then return nothing() end
  -- What was given back until a time may be had before it by name.
  if ARG.spare == '1' and r.token ~= '' then return nothing() end
  if NOW <= r.lease and (r.token ~= '' or named == '') then return nothing() end
  d = getRun(t, r.run)
  if not carries(agentOf(t, d)) then return nothing() end
  node, old = r.node, r.token
  if d.started > 0 then
    kind = 2
    if progressed(t, d) then r.attempts = 0 end
    d.reached = redis.call('LLEN', t.journal)
  end
else
  if suspended(t) then
    return nothing((pastDeadline(t, r, member) or NOW + 1) <= NOW and 3)
  end
  local id = release(t, r, member, true)
  local head = id
  publish(r.nodes, member, r.epoch, r.extra or {}, 1, #(r.extra or {}), before + 1)
  if named ~= '' then
    -- Not in one expression: miniredis's Lua leaves a local as it was when the
    -- first operand of an `and` assigned to it is false.
    id = nil
    if redis.call('ZSCORE', t.queue, named) then id = named end
  end
  d = id and getRun(t, id)
  if not d or d.status ~= 'queued' or not carries(agentOf(t, d)) then
    if head then offer(t, r, member, agentOf(t, getRun(t, head))) end
    if r.seq > before then decide(t, r) end
    return nothing()
  end
  redis.call('ZREM', t.queue, id)
  r.run, r.attempts = id, d.attempts
end

if kind == 2 then d.taken = string.format('%d', (tonumber(d.taken) or 0) + 1) end
d.node = NODE
r.token, r.node, r.cn, r.attempts = token, NODE, 0, r.attempts + 1
r.kind, r.lease = kind == 1 and 'q' or 't', NOW + tonumber(ARG.lease)
if r.pause == '2' then r.pause = '1' end
if kind == 1 then r.since = NOW end
d.status, d.available = 'active', 0
move(t, d, 'claimed')
putRun(t, d)
redis.call('ZADD', t.leases, digits(r.lease), member)
withdraw(t, r, member)
fenced(node, member, old)
decide(t, r)
return answer(kind, d, node, old)
