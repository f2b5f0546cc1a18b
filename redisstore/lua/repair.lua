-- repair.lua: takes out of a thread what cannot be read, as far as it keeps
-- a stop all or a delete from the thread. It stands after run.lua, index.lua and
-- suspension.lua, and before a script opens the record.

local TYPES = { rec = 'hash', log = 'list', snap = 'hash', runs = 'hash', journal = 'list', closing = 'string',
  queue = 'zset', disp = 'hash', archive = 'hash', drafts = 'hash', big = 'hash', past = 'zset', producers = 'hash' }

local NUMBERS = { 'bound', 'snapat', 'depoch', 'cn', 'n', 'len', 'input', 'look', 'was' }

-- retype deletes what is of another type. It returns whether messages were lost.
local function retype(t)
  local lost = false
  for name, wanted in pairs(TYPES) do
    local key = t[name]
    local is = redis.call('TYPE', key)
    is = is.ok or is
    if is ~= 'none' and is ~= wanted then
      redis.call('DEL', key)
      lost = lost or name == 'snap'
    end
  end
  return lost
end

-- ordinal is the highest of the thread's runs: the fields of the next one are named after its own.
local function ordinal(t)
  local n = 0
  for _, id in ipairs(runIDs(t)) do
    n = math.max(n, tonumber(string.match(redis.call('HGET', t.runs, 'm:' .. id), '^%a%a (%d+) ') or 0))
  end
  return n
end

-- ends cuts the log behind the last element that cannot be read, or does not follow. It returns, of
-- what is left, the positions of the first event and of the last one, that behind the first
-- element, and the bytes: nothing of a log without any.
local function ends(t)
  local left, going, first, last, behind, bytes = redis.call('LLEN', t.log), true, nil, nil, nil, 0
  local function takes(e)
    local at, size, large, rest = string.match(e, '^(%d+),(%d+):(%z?)()')
    local next = at + (large == '' and #unpacked(e, rest) or redis.call('HEXISTS', t.big, at))
    if next == at + 0 or next ~= (first or next) then error('an element of a log is damaged') end
    first, last, behind, bytes = at + 0, last or next - 1, next, bytes + size
  end
  while going and left > 0 do
    local page = redis.call('LRANGE', t.log, math.max(left - 32, 0), left - 1)
    for i = #page, 1, -1 do
      going = going and pcall(takes, page[i])
      if going then left = left - 1 end
    end
  end
  redis.call('LTRIM', t.log, left, -1)
  return first, last, behind, bytes
end

-- renumber makes numbers of the record's numbers. The log itself says where it begins and ends, and
-- how long it is, under another epoch if it does not begin and end where the record said.
local function renumber(t)
  local v = redis.call('HMGET', t.rec, 'ver', 'base', 'seq')
  -- No version of before may be met again.
  if v[1] and not tonumber(v[1]) then redis.call('HSET', t.rec, 'ver', NOW) end
  for _, field in ipairs(NUMBERS) do
    local n = redis.call('HGET', t.rec, field)
    if n and not tonumber(n) then redis.call('HSET', t.rec, field, field == 'n' and ordinal(t) or 0) end
  end
  if redis.call('EXISTS', t.rec, t.closing, t.drafts, t.queue) > 0 then redis.call('HSET', t.rec, 'has', 'acdjqwp') end
  local claim = redis.call('HGET', t.rec, 'claim') or ''
  if claim ~= '' and not string.find(claim, CLAIM) then redis.call('HSET', t.rec, 'claim', '') end
  -- No mark stands behind the snapshot that it tells.
  local told = tonumber(string.match(redis.call('HGET', t.rec, 'told') or '', '^%d+') or 0)
  if told > 0 and tonumber(redis.call('HGET', t.rec, 'snapat') or 0) <= told then
    redis.call('HSET', t.rec, 'snapat', told + 1)
  end
  local base, seq, first, last, behind, bytes = tonumber(v[2] or 1), tonumber(v[3] or 0), ends(t)
  if base and seq and seq == (last or base - 1) and base >= (first or base) and base < (behind or base + 1) then return end
  last = last or seq or math.max((base or 1) - 1, 0)
  base = first or last + 1
  redis.call('HSET', t.rec, 'base', base, 'seq', last, 'len', bytes, 'epoch', ARG.fresh)
  -- Nobody has a position in the new epoch yet, and where marks are now is not known.
  if told > 0 then redis.call('HSET', t.rec, 'told', last .. ' ' .. last) end
  local snapat = tonumber(redis.call('HGET', t.rec, 'snapat') or 0)
  redis.call('HSET', t.rec, 'snapat', math.max(math.min(snapat, last), base - 1))
end

-- lose forgets a run that cannot be read, or not be ended as it must be.
local function lose(t, id, state)
  redis.call('HDEL', t.runs, 'm:' .. id)
  redis.call('HDEL', t.disp, 'i:' .. id, '1:' .. id, '2:' .. id)
  count(t, { [state] = -1 })
end

local function whole(t, id)
  local ok, d = pcall(getRun, t, id)
  if not ok or not d or not d.status or not d.state then return false end
  if d.started > 0 then return true end
  local events = redis.call('HMGET', t.disp, '1:' .. id, '2:' .. id)
  return events[1] and events[2]
end

-- repair does all that. The run that is active may be there no more afterwards.
local function repair(t)
  local lost = retype(t)
  renumber(t)
  -- Who holds the messages holds what is there no more.
  if lost then redis.call('HDEL', t.runs, 'g') end
  if lost and redis.call('EXISTS', t.rec) == 1 then redis.call('HSET', t.rec, 'epoch', ARG.fresh) end
  local run = redis.call('HGET', t.rec, 'run') or ''
  if run ~= '' and not whole(t, run) then
    -- One that was given back has no holder, and waits.
    lose(t, run, (redis.call('HGET', t.rec, 'token') or '') == '' and 'queued' or 'claimed')
  end
  for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do
    if not whole(t, id) then
      redis.call('ZREM', t.queue, id)
      lose(t, id, 'queued')
    end
  end
  local ok, text, head = pcall(suspension, t)
  if not ok or text and not (head[1] and #head[1] == 6 and head[4]) then
    dropExecution(t, { has = 'j' })
    redis.call('DEL', t.drafts)
  end
  if not pcall(unpacked, redis.call('GET', t.closing) or '') then redis.call('DEL', t.closing) end
end
