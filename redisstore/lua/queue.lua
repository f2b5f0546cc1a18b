-- queue.lua: the runs that wait, and ends that no worker brings. It stands after
-- run.lua, work.lua and suspension.lua.

-- Runs wait by priority, then in the order of arrival: both in one number that
-- a double holds exactly.
local function rank(d) return d.priority * 1099511627776 + d.n end

local function enqueue(t, r, d, score)
  redis.call('ZADD', t.queue, string.format('%.0f', score), d.id)
  gets(r, 'q')
end

-- forget drops what a run that waited needs no more. The input of one that never
-- started stays with a dead letter, which may be requeued.
local function forget(t, d)
  redis.call('HDEL', t.disp, '1:' .. d.id, '2:' .. d.id, 'g:' .. d.id)
  if d.state ~= 'dead_letter' then redis.call('HDEL', t.disp, 'i:' .. d.id) end
end

local function cancellation(t, id) return redis.call('HMGET', t.disp, '1:' .. id, '2:' .. id) end

-- ended notes that the last logged event is the run's terminal one.
local function ended(t, r, d, terminal)
  d.status = 'ended'
  r.bound = r.seq
  putRun(t, d, 't' .. d.n, terminal)
end

-- release is for a thread without an active run and without a suspension: it
-- logs the runs that were stopped while they waited, up to the first that may be
-- claimed, and offers that one, unless the caller claims it. It returns its id; nil:
-- there is none now.
local function release(t, r, member, claims)
  local skipped, wants = 0, nil
  while mayHave(r, 'q') do
    local page = redis.call('ZRANGE', t.queue, skipped, skipped + 99)
    for _, id in ipairs(page) do
      local d = getRun(t, id)
      if d.status == 'stopped' then
        local events = cancellation(t, id)
        log(t, r, events)
        d.started, r.latest = r.seq - 1, id
        ended(t, r, d, events[2])
        over(t, member, d, d.state == 'acked' and 'finish' or 'cancel')
        forget(t, d)
        redis.call('ZREM', t.queue, id)
      elseif d.available <= NOW then
        if not claims then offer(t, r, member, agentOf(t, d)) end
        return id
      else
        skipped, wants = skipped + 1, math.min(wants or d.available, d.available)
      end
    end
    if #page < 100 then
      if skipped == 0 then loses(r, 'q') end
      break
    end
  end
  if wants then
    later(t, r, member, wants)
  elseif not r.unlisted then
    withdraw(t, r, member)
  end
end

-- dequeue supersedes, cancels or lets join a queued run: its two events are logged when the queue is
-- next released, and its input is not needed any more.
local function dequeue(t, d, state, why)
  d.status, d.error = 'stopped', why
  redis.call('HDEL', t.disp, 'i:' .. d.id, 'g:' .. d.id)
  move(t, d, state)
  putRun(t, d)
end

-- tell sends the nodes that follow the thread what the sender of a run that was
-- cancelled in the queue is owed. The caller's own node learns it from the answer.
local function tell(r, member, events)
  local message = table.concat(pack(pack({}, { 'w', member }, 1, 2), events, 1, #events))
  for _, node in ipairs(others(r.nodes)) do redis.call('PUBLISH', ARG.channels .. node, message) end
end

-- cut ends the active run whatever its worker does, and fences that. terminal
-- false: the run's own cancellation. It returns the fenced node and token.
local function cut(t, r, member, d, terminal, state, why)
  local node, token = r.node, r.token
  if d.started > 0 then
    log(t, r, unpacked(mayHave(r, 'c') and redis.call('GET', t.closing) or ''))
    log(t, r, { terminal })
  else
    local events = cancellation(t, d.id)
    terminal = terminal or events[2]
    log(t, r, { events[1], terminal })
    d.started, r.latest = r.seq - 1, d.id
  end
  d.attempts, d.error = math.min(r.attempts, d.max), why -- the claim that ends what had them all is none
  move(t, d, state)
  ended(t, r, d, terminal)
  over(t, member, d, state == 'dead_letter' and 'fail' or 'cancel')
  forget(t, d)
  fenced(node, member, token)
  unclaim(t, r, member)
  return node, token
end
