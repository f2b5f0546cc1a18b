-- read.lua: a thread as it is, in one step; registers the node as follower.
--
-- KEYS    the thread's keys
-- ARGV[7] member
-- ARGV[8] follow    ms for which the node follows; 0: do not register
-- ARGV[9] epoch     the position after which events are wanted; '': none
-- ARGV[10] seq
-- ARGV[11] label    '' : none
-- ARGV[12] run      '' : none
-- ARGV[13] n        number of interrupt ids
-- ARGV[14] m        number of tool call ids
-- ARGV[15] inputs   1: the waiting inputs too
-- ARGV[16] most     bytes of snapshot, log and inputs; 0: as many as there are
-- ARGV[17] missed   how many of the wanted events
-- then              the interrupt, tool call and message ids
--
-- Returns {about how many bytes it would be, recovered} when that is more than most, or {now, ver, epoch, base, seq, bound, snapat, recovered, events,
--   snapshot, suspension, active, latest, run, labelled, queue, how many stand in it,
--   answers, asked, archived, dispatch epoch, paused, drafts, tenant, title, deleted}; a run
--   is {id, record, status, start, terminal, execution, the execution's latest run}, an
--   absent one is false. The queue holds of each run id, record, bytes, input.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
if ARGV[8] ~= '0' then
  create(t.rec, r, member, 2 * tonumber(ARGV[8]))
  follow(t.followers, tonumber(ARGV[8]))
elseif r.new then
  r.epoch = '' -- looking at a thread does not use it
end

local function run(id)
  local d = id ~= '' and getRun(t, id)
  if not d then return false end
  return { id, record(t, d), d.status, d.started, terminalOf(t, r, d), d.execution, latestOf(t, d) }
end

local after = tonumber(ARGV[10])
local retained = ARGV[9] == r.epoch and after >= r.base - 1 and after <= r.seq

-- weight is about how many bytes what may be large has: of the messages a few are looked at.
local function weight()
  local bytes = 0
  if ARGV[15] == '1' then
    for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do bytes = bytes + redis.call('HSTRLEN', t.disp, 'i:' .. id) end
  end
  if retained then return bytes end
  if r.seq >= r.base then
    bytes = bytes + r.bytes * (r.seq - math.max(r.snapat, r.base - 1)) / (r.seq - r.base + 1)
  end
  bytes = bytes + redis.call('HSTRLEN', t.snap, 's') + redis.call('HSTRLEN', t.snap, 'o')
  local looked, sum = redis.call('HRANDFIELD', t.snap, 16), 0
  for _, name in ipairs(looked) do sum = sum + (#name > 1 and redis.call('HSTRLEN', t.snap, name) or 0) end
  if #looked > 0 then bytes = bytes + sum / #looked * redis.call('HLEN', t.snap) end
  return bytes
end
if ARGV[16] ~= '0' then
  local bytes = weight()
  if bytes > tonumber(ARGV[16]) then return { math.floor(bytes), retained and 1 or 0 } end
end

local recovered, events, snapshot = 0, {}, {}
if retained then
  recovered = 1
  events = leading(r, t.log, t.big, after + 1, tonumber(ARGV[17]))
else
  snapshot = redis.call('HGETALL', t.snap)
  events = logged(r, t.log, t.big, math.max(r.snapat + 1, r.base))
end

local labelled = {}
if ARGV[11] ~= '' then
  local ids = redis.call('HGET', t.memo, 'l:' .. ARGV[11])
  for _, id in ipairs(unpacked(ids or '')) do labelled[#labelled + 1] = run(id) or nil end
end

local queue, waiting = {}, redis.call('ZRANGE', t.queue, 0, -1)
for _, id in ipairs(waiting) do
  local d = getRun(t, id)
  if d.status == 'queued' then
    local kept, n = record(t, d), #queue
    queue[n + 1], queue[n + 2] = id, kept
    queue[n + 3] = #kept + redis.call('HSTRLEN', t.disp, 'i:' .. id)
    queue[n + 4] = false
    if ARGV[15] == '1' then queue[n + 4] = redis.call('HGET', t.disp, 'i:' .. id) end
  end
end

local n, m = tonumber(ARGV[13]), tonumber(ARGV[14])
local answers, asked, archived = {}, {}, {}
for i = 18, 17 + n do answers[#answers + 1] = redis.call('HGET', t.memo, 'a:' .. ARGV[i]) end
for i = 18 + n, 17 + n + m do asked[#asked + 1] = redis.call('HEXISTS', t.memo, 'c:' .. ARGV[i]) end
if redis.call('EXISTS', t.archive) == 1 then
  for i = 18 + n + m, #ARGV do archived[#archived + 1] = redis.call('HEXISTS', t.archive, ARGV[i]) end
end

local active = run(r.run)
if r.run ~= '' and not active then error('the active run has no record') end

local about = redis.call('HMGET', t.rec, 'tenant', 'title', 'was', 'input')
return { NOW, r.ver, r.epoch, r.base, r.seq, r.bound, r.snapat, recovered, events, snapshot,
  suspension(t) or false, active, run(r.latest), run(ARGV[12]), labelled, queue, #waiting, answers, asked, archived,
  r.depoch, (r.pause == '1' or r.pause == '2') and 1 or 0, redis.call('HGETALL', t.drafts), about[1], about[2],
  (about[3] and not about[4]) and 1 or 0 }
