-- trim.lua: how long a log keeps its events, and a thread its runs. It stands
-- after run.lua and suspension.lua in the scripts that trim.
--
-- A log has no times. r.marks says of a few positions when they had been logged:
-- pairs of stamps, oldest first. Two marks that are one apart lie half the age
-- asunder at least, so that five are enough and an event is kept for its age and at
-- most half of it more, or until the next end.

local function number(s)
  local n = 0
  for i = 1, #s do n = n * 256 + string.byte(s, i, i) end
  return n
end

local function markOf(r, i) return number(string.sub(r.marks, i, i + 5)), number(string.sub(r.marks, i + 6, i + 11)) end

-- lastMark is when a run last ended, and 0 before the first end.
local function lastMark(r)
  if r.marks == '' then return 0 end
  return (markOf(r, #r.marks - 11))
end

-- mark notes that the log has come to where it is by now.
local function mark(r, age)
  if #r.marks >= 24 and NOW - markOf(r, #r.marks - 23) < age / 2 then r.marks = string.sub(r.marks, 1, -13) end
  r.marks = r.marks .. stamp(NOW) .. stamp(r.seq)
end

-- A piece of a log's head is about so many events and so many bytes.
local TRIM, TRIM_BYTES = 6000, 1048576

-- trim takes from the log's head what is too much of it: by number, by bytes, by
-- age in ms. What follows the snapshot stays. With piece it takes no more than one: where
-- nothing new comes with it, to which it would be in proportion. It reports whether something
-- is left to take.
local function trim(t, r, count, bytes, age, piece)
  local base, old = math.max(r.base, r.seq - count + 1), 1
  while #r.marks > 0 do
    local at, seq = markOf(r, old)
    if at > NOW - age then break end
    base = math.max(base, seq + 1)
    if seq > r.snapat or #r.marks == old + 11 then break end -- it is wanted again
    old = old + 12
  end
  local first, most, enough, cut = r.base, piece and TRIM or math.huge, piece and r.bytes - TRIM_BYTES or -math.huge, false
  local function size(at, e) return e == MARK and redis.call('HSTRLEN', t.big, at) or #e end
  -- Where less stays than goes, what stays is looked at.
  local goal = math.min(base, r.snapat + 1)
  if not piece and goal - first > r.seq - goal + 1 then
    redis.call('LTRIM', t.log, goal - first, -1)
    local gone = {}
    for _, at in ipairs(redis.call('HKEYS', t.big)) do
      if tonumber(at) < goal then gone[#gone + 1] = at end
    end
    for i = 1, #gone, 1000 do redis.call('HDEL', t.big, unpack(gone, i, math.min(i + 999, #gone))) end
    r.base, r.bytes, first = goal, 0, goal
    for from = goal, r.seq, 100 do
      for i, e in ipairs(redis.call('LRANGE', t.log, from - goal, from + 99 - goal)) do
        r.bytes = r.bytes + size(from + i - 1, e)
      end
    end
  end
  local function wanted() return r.base <= r.snapat and (r.base < base or r.bytes > bytes) end
  while not cut and r.base - first < most and r.bytes > enough and wanted() do
    local page = redis.call('LRANGE', t.log, r.base - first, math.min(r.base + 99, r.snapat) - first)
    for _, e in ipairs(page) do
      if r.base >= base and r.bytes <= bytes or r.bytes <= enough and r.base > first then
        cut = true
        break
      end
      r.bytes = r.bytes - size(r.base, e)
      if e == MARK then redis.call('HDEL', t.big, r.base) end
      r.base = r.base + 1
    end
  end
  if r.base > first then redis.call('LTRIM', t.log, r.base - first, -1) end
  while old > 1 do
    local _, seq = markOf(r, 1)
    if seq >= r.base then break end
    r.marks, old = string.sub(r.marks, 13), old - 12
  end
  return wanted()
end

-- drop removes the records of a run that ended.
local function drop(t, d)
  redis.call('HDEL', t.runs, 'm:' .. d.id, 'r' .. d.n)
  if redis.call('HGET', t.runs, 'e:' .. d.execution) == d.id then redis.call('HDEL', t.runs, 'e:' .. d.execution) end
  redis.call('ZREM', t.past, pastMember(d))
  if d.state == 'dead_letter' then
    redis.call('HDEL', t.disp, 'i:' .. d.id)
    unbury(t, d)
  else
    count(t, { [d.state] = -1 })
  end
end

-- readable is a run; nil when its line cannot be read, which must not keep what
-- is beside it for ever.
local function readable(t, id)
  local ok, d = pcall(getRun, t, id)
  return ok and d or nil
end

-- prune drops runs that ended keep ms ago, from a cursor on. It returns the next cursor, '0'
-- if those were all, and how many it has dropped. The thread's latest run stays, and the runs
-- of its execution.
local function prune(t, r, cursor, keep)
  local page = redis.call('HSCAN', t.runs, cursor, 'MATCH', 'm:*', 'COUNT', 300)
  local execution, dropped = executing(t), 0
  for i = 1, #page[2], 2 do
    local d = readable(t, string.sub(page[2][i], 3))
    if d and d.status == 'ended' and d.id ~= r.latest and d.execution ~= execution
      and NOW - d.created - d.completed >= keep then
      drop(t, d)
      dropped = dropped + 1
    end
  end
  return page[1], dropped
end

-- unlabel forgets labels of which every run was dropped, from a cursor on as prune, and with all
-- whatever else clients may refer to.
local function unlabel(t, cursor, all)
  local page = redis.call('HSCAN', t.runs, cursor, 'MATCH', '[aclnx]:*', 'COUNT', 300)
  for i = 1, #page[2], 2 do
    local kept = not all
    if string.sub(page[2][i], 1, 1) == 'l' then
      kept = false
      for _, id in ipairs(unpacked(page[2][i + 1])) do
        kept = kept or redis.call('HEXISTS', t.runs, 'm:' .. id) == 1
      end
    end
    if not kept then redis.call('HDEL', t.runs, page[2][i]) end
  end
  return page[1]
end

-- tally is how many terminal dispatches the thread has of each state, and its
-- dead letters.
local function tally(t)
  local states, letters = {}, {}
  if ordered(t) then
    for state in pairs(TERMINAL) do
      local of = LETTER[state]
      states[state] = redis.call('ZLEXCOUNT', t.past, '[' .. of, '(' .. string.char(string.byte(of) + 1))
    end
    for _, m in ipairs(redis.call('ZRANGEBYLEX', t.past, '[d', '(e')) do
      letters[#letters + 1] = { id = string.sub(m, 26), created = tonumber(string.sub(m, 2, 15)), completed = 0 }
    end
  else
    for _, id in ipairs(runIDs(t)) do
      local d = readable(t, id)
      if d then
        states[d.state] = (states[d.state] or 0) + 1
        if d.state == 'dead_letter' then letters[#letters + 1] = d end
      end
    end
  end
  return states, letters
end

-- erase takes a thread away in which nothing goes on. Who has seen it as it was
-- must not mistake its next life for it: the record keeps a new epoch, and the
-- version from which the next one goes on, for so many ms, and not the thread's name. user: who does it, if anybody.
-- It returns for whom the thread has counted.
local function erase(t, r, member, remember, user)
  notice(t, member, 'thread.deleted', { by = user })
  announce(t)
  local states, letters = tally(t)
  redis.call('ZREM', t.lists, threadMember(t, member, tonumber(redis.call('HGET', t.rec, 'input'))))
  withdraw(t, r, member)
  for state, n in pairs(states) do states[state] = -n end
  states.dead_letter = nil
  count(t, states)
  for _, d in ipairs(letters) do unbury(t, d) end
  local owner, base = redis.call('HGET', t.rec, 'owner') or '', string.sub(t.rec, 1, -4)
  redis.call('UNLINK', t.rec, t.log, t.big, t.snap, t.runs, t.journal, t.closing, t.disp, t.archive,
    t.drafts, t.past, t.producers, base .. 'reviewers')
  unpayAll(base)
  redis.call('HSET', t.rec, 'epoch', ARG.fresh, 'replid', history(), 'base', 1, 'seq', 0,
    'depoch', r.depoch, 'was', r.ver, 'nodes', r.nodes)
  redis.call('PEXPIRE', t.rec, remember)
  begun(r, member, ARG.fresh)
  return owner
end
