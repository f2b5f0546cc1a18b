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
local TRIM, TRIM_BYTES = 1500, 262144

-- trim takes from the log's head what is too much of it: by number, by bytes, by
-- age in ms. What follows the snapshot stays. It takes no more than so many pieces, or all if little
-- stays, and reports whether something is left to take. It stops at what cannot be read, or does not
-- follow: that must keep no run from ending, and stays until a repair.
local function trim(t, r, count, bytes, age, pieces)
  local base, old = math.max(r.base, r.seq - count + 1), 1
  while #r.marks > 0 do
    local at, seq = markOf(r, old)
    if at > NOW - age then break end
    base = math.max(base, seq + 1)
    if seq > r.snapat or #r.marks == old + 11 then break end -- it is wanted again
    old = old + 12
  end
  local goal, gone = math.min(base, r.snapat + 1), 0
  local most, enough = r.base + pieces * TRIM, r.bytes - pieces * TRIM_BYTES
  -- each calls f with the position and the bytes of each event of an element, until it says no.
  local function each(e, f)
    local first, size, large, at = string.match(e, '^(%d+),(%d+):(%z?)()')
    if large ~= '' then return f(first + 0, size + 0) end
    while at <= #e do
      local _, colon, length = string.find(e, '^(%d+):', at)
      if not f(first + 0, length + 0) then return end
      first, at = first + 1, colon + length + 1
    end
  end
  local function placeOf(at)
    local place, n = elementAt(r, t.log, at)
    if place < n then
      local found = redis.call('LRANGE', t.log, place, place + 1)
      if firstOf(found[1]) > at or found[2] and firstOf(found[2]) <= at then error('an element of a log does not follow') end
    end
    return place, n - place
  end
  local function counted(e)
    r.bytes = r.bytes + string.match(e, '^%d+,(%d+)')
    each(e, function(i, n)
      if i < goal then r.bytes = r.bytes - n end
      return i < goal
    end)
  end
  -- If little stays, and less than goes, what stays is looked at.
  local stays, place, elements = r.seq - goal + 1, nil, nil
  local bulk = goal - r.base > stays and r.bytes * stays <= pieces * TRIM_BYTES * (r.seq - r.base + 1)
  if bulk then bulk, place, elements = pcall(placeOf, goal) end
  if bulk and elements <= pieces * TRIM and redis.call('HLEN', t.big) <= TRIM then
    redis.call('LTRIM', t.log, place, -1)
    local large = {}
    for _, at in ipairs(redis.call('HKEYS', t.big)) do
      if tonumber(at) < goal then large[#large + 1] = at end
    end
    for i = 1, #large, 1000 do redis.call('HDEL', t.big, unpack(large, i, math.min(i + 999, #large))) end
    r.base, r.bytes = goal, 0
    for from = 0, redis.call('LLEN', t.log) - 1, 32 do
      for i, e in ipairs(redis.call('LRANGE', t.log, from, from + 31)) do
        if from + i == 1 then pcall(counted, e) else r.bytes = r.bytes + (string.match(e, '^%d+,(%d+)') or 0) end
      end
    end
  end
  local function wanted() return r.base <= r.snapat and (r.base < base or r.bytes > bytes) end
  local page, firsts, sizes, at, width = {}, {}, {}, 1, nil
  -- turn takes an event, or an element of which nothing is left.
  local function turn()
    if at >= #page then
      width = width or math.max(math.min(math.floor(65536 * redis.call('LLEN', t.log) / math.max(r.bytes, 1)), 31), 1)
      page, at = redis.call('LRANGE', t.log, gone, gone + width), 1
      for i, e in ipairs(page) do firsts[i], sizes[i] = string.match(e, '^(%d+),(%d+):') end
    end
    local e, was, next = page[at], r.base, r.seq + 1
    if page[at + 1] then next = firsts[at + 1] + 0 end
    local first, size = firsts[at] + 0, sizes[at] + 0
    if first == was and next > first and next <= r.snapat + 1 and (next <= base or r.bytes - size >= bytes) then
      r.base, r.bytes = next, r.bytes - size
    else
      each(e, function(i, n)
        if i < r.base then return true end
        if i > r.base or i >= next or not wanted() then return false end
        r.base, r.bytes = i + 1, r.bytes - n
        return true
      end)
    end
    if r.base >= next and next > first then
      if string.byte(e, -1) == 0 then redis.call('HDEL', t.big, digits(first)) end
      gone, at = gone + 1, at + 1
    elseif r.base == was then
      error('an element of a log does not follow')
    end
  end
  local going = pcall(function()
    while wanted() and r.base < most and r.bytes > enough do turn() end
  end)
  if gone > 0 then redis.call('LTRIM', t.log, gone, -1) end
  while old > 1 do
    local _, seq = markOf(r, 1)
    if seq >= r.base then break end
    r.marks, old = string.sub(r.marks, 13), old - 12
  end
  return going and wanted()
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
