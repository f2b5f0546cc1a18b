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
  strike(t, '1:' .. d.id, '2:' .. d.id, 'g:' .. d.id)
  if d.state ~= 'dead_letter' then strike(t, 'i:' .. d.id) end
end

local function cancellation(t, id) return redis.call('HMGET', t.disp, '1:' .. id, '2:' .. id) end

-- cancellations reads the lines of runs ids[first..], and returns the two events of each of those
-- that were stopped while they waited.
local function cancellations(t, ids, first)
  linesAhead(t, ids, first)
  local stopped, fields, of = {}, {}, {}
  for i = first, #ids do
    local d = t.many and t.many.runs[ids[i]]
    if d and d.status == 'stopped' or string.sub(t.ahead[ids[i]] or '', 1, 1) == LETTER.stopped then
      stopped[#stopped + 1] = ids[i]
      fields[#fields + 1], fields[#fields + 2] = '1:' .. ids[i], '2:' .. ids[i]
    end
  end
  for i = 1, #fields, 500 do
    local events = redis.call('HMGET', t.disp, unpack(fields, i, math.min(i + 499, #fields)))
    for j = 1, #events, 2 do of[stopped[(i + j) / 2]] = { events[j], events[j + 1] } end
  end
  return of
end

-- ended notes that the last logged event is the run's terminal one.
local function ended(t, r, d, terminal)
  d.status = 'ended'
  r.bound = r.seq
  d.terminal = terminal
  putRun(t, d)
end

-- release is for a thread without an active run and without a suspension: it
-- logs the runs that were stopped while they waited, up to the first that may be
-- claimed, and offers that one, unless the caller claims it. It returns its id; nil:
-- there is none now.
local function release(t, r, member, claims)
  local skipped, wants, found = 0, nil, nil
  while mayHave(r, 'q') and not found do
    local page = redis.call('ZRANGE', t.queue, skipped, skipped + 99)
    together(t, function()
      local of, events, gone = nil, {}, {}
      for i, id in ipairs(page) do
        local d = getRun(t, id)
        if d.status == 'stopped' then
          local two = of and of[id] or cancellation(t, id)
          of = of or cancellations(t, page, i + 1)
          events[#events + 1], events[#events + 2] = two[1], two[2]
          d.status, d.started, r.latest = 'ended', r.seq + #events - 1, id
          d.terminal = two[2]
          putRun(t, d)
          over(t, member, d, d.state == 'acked' and 'finish' or 'cancel')
          forget(t, d)
          gone[#gone + 1] = id
        elseif d.available <= NOW then
          found = d
          break
        else
          skipped, wants = skipped + 1, math.min(wants or d.available, d.available)
        end
      end
      if #gone > 0 then
        log(t, r, events)
        r.bound = r.seq
        piecewise('ZREM', t.queue, gone, 1, #gone)
      end
    end)
    if #page < 100 and not found then
      if skipped == 0 then loses(r, 'q') end
      break
    end
  end
  t.ahead = nil
  if found then
    if not claims then offer(t, r, member, agentOf(t, found)) end
    return found.id
  elseif wants then
    later(t, r, member, wants)
  elseif not r.unlisted then
    withdraw(t, r, member)
  end
end

-- dequeue supersedes, cancels or lets join a queued run: its two events are logged when the queue is
-- next released, and its input is not needed any more.
local function dequeue(t, d, state, why)
  d.status, d.error = 'stopped', why
  strike(t, 'i:' .. d.id, 'g:' .. d.id)
  move(t, d, state)
  putRun(t, d)
end

-- tell sends the nodes that follow the thread what the sender of a run that was
-- cancelled in the queue is owed. The caller's own node learns it from the answer.
local function tell(r, member, events)
  local message = packed({ 'w', member }, 1, 2) .. packed(events, 1, #events)
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
