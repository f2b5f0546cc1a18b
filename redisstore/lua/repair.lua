-- repair.lua: takes out of a thread what cannot be read, as far as it keeps
-- a stop all or a delete from the thread. It stands after run.lua, index.lua and
-- suspension.lua, and before a script opens the record.

local TYPES = { rec = 'hash', log = 'list', snap = 'hash', runs = 'hash', journal = 'list', closing = 'string',
  queue = 'zset', disp = 'hash', archive = 'hash', drafts = 'hash', big = 'hash', past = 'zset', producers = 'hash' }

local NUMBERS = { 'base', 'seq', 'bound', 'snapat', 'depoch', 'cn', 'n', 'len', 'input', 'look', 'was' }

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

-- renumber makes numbers of the record's numbers. It returns whether where the log begins or ends was none.
local function renumber(t)
  local lost = false
  -- No version of before may be met again.
  local ver = redis.call('HGET', t.rec, 'ver')
  if ver and not tonumber(ver) then redis.call('HSET', t.rec, 'ver', NOW) end
  for _, field in ipairs(NUMBERS) do
    local n = redis.call('HGET', t.rec, field)
    -- The fields of the next run are named after n. No thread has had a run in each second, so that no other
    -- has this one, and there may be too many to look at.
    if n and not tonumber(n) then
      lost = lost or field == 'base' or field == 'seq'
      redis.call('HSET', t.rec, field, field == 'n' and math.floor(NOW / 1000) or 0)
    end
  end
  if redis.call('EXISTS', t.rec, t.closing, t.drafts, t.queue) > 0 then redis.call('HSET', t.rec, 'has', 'acdjqwp') end
  local claim = redis.call('HGET', t.rec, 'claim') or ''
  if claim ~= '' and not string.find(claim, CLAIM) then redis.call('HSET', t.rec, 'claim', '') end
  -- No mark stands behind the snapshot that it tells.
  local told = tonumber(string.match(redis.call('HGET', t.rec, 'told') or '', '^%d+') or 0)
  if told > 0 and tonumber(redis.call('HGET', t.rec, 'snapat') or 0) <= told then
    redis.call('HSET', t.rec, 'snapat', told + 1)
  end
  return lost
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

-- repair does all that, and leaves the log as it is. The run that is active may be there no more afterwards.
-- It returns what renumber does.
local function repair(t)
  local lost, unplaced = retype(t), renumber(t)
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
  return unplaced
end
