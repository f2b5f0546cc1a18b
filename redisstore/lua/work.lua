-- work.lua: the entries by which threads ask for a worker. It stands after thread.lua,
-- and run.lua if there is one.
--
-- t.work names a family of keys: behind it comes the name of an agent, and that is the
-- stream of what its workers are to claim. The thread's record says which entry is its
-- own: its id, the time since which a suspension is past its deadline or 0, the agent. A
-- thread has no other, and none that it does not want.

local GROUP = 'workers'

-- RECHECK is after how many ms a sweep looks whether an entry is still there: streams
-- only deliver, and whoever may trim one by hand must not lose a run by it. When that
-- is stands beside t.ready, apart from what is due: many may be asked for at once.
local RECHECK = 60000

-- check has it looked at then; nil: there is nothing to look at.
local function check(t, member, at)
  local checks = t.ready .. ':checks'
  if at then redis.call('ZADD', checks, at, member) else redis.call('ZREM', checks, member) end
end

local function entryOf(r)
  local id, since, agent = string.match(r.work, '^(%d+%-%d+) (%d+) (.*)$')
  return id, tonumber(since), agent
end

-- settle acknowledges an entry, and takes it out of its stream.
local function settle(t, agent, id)
  local stream = t.work .. agent
  redis.call('XACK', stream, GROUP, id)
  redis.call('XDEL', stream, id)
end

-- unoffer takes back that the thread wants a worker.
local function unoffer(t, r, member)
  if r.work == '' then return end
  local id, _, agent = entryOf(r)
  if id then settle(t, agent, id) end
  redis.call('HDEL', t.rec, 'work')
  check(t, member)
  r.work = ''
end

-- withdraw takes back that it wants one, now or later.
local function withdraw(t, r, member)
  unoffer(t, r, member)
  redis.call('ZREM', t.ready, member)
end

-- later leaves it to a sweep to offer the thread at a time.
local function later(t, r, member, at)
  unoffer(t, r, member)
  redis.call('ZADD', t.ready, at, member)
end

-- offer asks the agent's workers for one, if they are not asked yet. agent false: the
-- record of the run is damaged, which a sweep finds out. since: of a suspension, when its
-- deadline had passed.
local function offer(t, r, member, agent, since)
  if not agent then return later(t, r, member, NOW) end
  local id, _, of = entryOf(r)
  if id and of == agent then return end
  unoffer(t, r, member)
  local stream = t.work .. agent
  if redis.call('EXISTS', stream) == 0 then redis.call('XGROUP', 'CREATE', stream, GROUP, '0', 'MKSTREAM') end
  id = redis.call('XADD', stream, '*', 'thread', member)
  r.work = id .. ' ' .. string.format('%.0f', since or 0) .. ' ' .. agent
  redis.call('HSET', t.rec, 'work', r.work)
  redis.call('ZREM', t.ready, member)
  check(t, member, NOW + RECHECK)
end

-- pastDeadline is since when the thread's open suspension wants a claim, or will; nil: it
-- never does.
local function pastDeadline(t, r, member)
  local id, since = entryOf(r)
  if id then return since end
  return tonumber(redis.call('ZSCORE', t.ready, member) or nil)
end

-- unclaim takes the active dispatch off the record and off the leases, and takes back
-- that it was offered since its lease was over. A thread with a claim does not stand in t.ready.
local function unclaim(t, r, member)
  local wished = r.pause ~= ''
  r.unlisted = r.token ~= ''
  r.run, r.token, r.lease, r.node, r.cn, r.attempts, r.kind, r.since, r.pause = '', '', 0, '', 0, 0, '', 0, ''
  if mayHave(r, 'c') then redis.call('DEL', t.closing) end
  loses(r, 'c')
  if wished then redis.call('HDEL', t.disp, 'p:') end
  redis.call('ZREM', t.leases, member)
  if r.work ~= '' then withdraw(t, r, member) end
end
