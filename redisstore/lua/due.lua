-- due.lua: what partitions have for workers: threads that have come due and are to be
-- offered, and entries that somebody is to read.
--
-- KEYS  for each: leases, ready, work
-- ARGS
--   limit
--   turn   0: those that have waited longest; else a page further on, which
--          it chooses, so that what cannot be offered hides nothing
--   idle   ms after which an entry is given to somebody else
--   check  how many threads at most whose entry is to be looked at; 0: none
--   gone   ms after which a consumer that holds nothing is forgotten; 0: not now
-- REST  agents; the stream of each is work and its name
--
-- Returns for each {members, in turn one whose lease has expired and one that is ready, among
--   those the suspensions that have come to their deadline; for each agent how many
--   entries nobody has read, how many others have had for too long, and the first of
--   those; threads of which it is to be looked whether their entry is still there; keys that
--   are of another type, and hide nothing else}.

local limit, turn = tonumber(ARG.limit), tonumber(ARG.turn)
-- Of a page further on nothing may be cut off.
local size = turn > 0 and math.max(math.floor(limit / 2), 1) or limit

local function page(key, to, size)
  local list = redis.call('ZRANGEBYSCORE', key, '-inf', to, 'LIMIT', 0, size)
  if turn == 0 or #list < size then return list end
  local pages = math.ceil(redis.call('ZCOUNT', key, '-inf', to) / size)
  local skip = (math.floor(turn / 2) % pages) * size
  if skip == 0 then return list end
  return redis.call('ZRANGEBYSCORE', key, '-inf', to, 'LIMIT', skip, size)
end

-- wrong are the keys of a partition that are of another type.
local wrong

-- held is what read finds at a key; none: there is nothing that could be read.
local function held(none, read, key, ...)
  local ok, found = pcall(read, key, ...)
  if ok then return found end
  local is = redis.call('TYPE', key)
  if (is.ok or is) == 'none' then error(found) end
  wrong[#wrong + 1] = key
  return none
end

local first = turn % 2 + 1
local function dueIn(leases, ready)
  local lists, out = { held({}, page, leases, '(' .. now(), size), held({}, page, ready, now(), size) }, {}
  for i = 1, math.max(#lists[1], #lists[2]) do
    for _, list in ipairs({ lists[first], lists[3 - first] }) do
      if list[i] then out[#out + 1] = list[i] end
    end
  end
  return out
end

local GROUP = 'workers'

local function fields(list)
  local of = {}
  for i = 1, #list, 2 do of[list[i]] = list[i + 1] end
  return of
end

-- forget drops the consumers of a stream that are gone. One that holds an entry stays:
-- with it would go that the entry was delivered to nobody else.
local function forget(stream, after)
  for _, list in ipairs(redis.call('XINFO', 'CONSUMERS', stream, GROUP)) do
    local c = fields(list)
    if c.pending == 0 and c.idle > after then redis.call('XGROUP', 'DELCONSUMER', stream, GROUP, c.name) end
  end
end

-- look is what a stream holds.
local function look(stream)
  local unread, late = 0, {}
  local length, gone = redis.call('XLEN', stream), tonumber(ARG.gone)
  if length > 0 or gone > 0 and redis.call('EXISTS', stream) == 1 then
    local group
    for _, list in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
      local g = fields(list)
      if g.name == GROUP then group = g end
    end
    if not group then
      redis.call('XGROUP', 'CREATE', stream, GROUP, '0')
      group = { pending = 0, ['last-delivered-id'] = '0-0' }
    end
    if length > 0 then unread = #redis.call('XRANGE', stream, '(' .. group['last-delivered-id'], '+', 'COUNT', limit) end
    if group.pending > 0 then late = redis.call('XPENDING', stream, GROUP, 'IDLE', ARG.idle, '-', '+', limit) end
    if gone > 0 then forget(stream, gone) end
  end
  return { unread, #late, late[1] and late[1][1] or '0-0' }
end

local answers, check = {}, tonumber(ARG.check)
for k = 1, #KEYS, 3 do
  local counts = {}
  wrong = {}
  for i = REST, #ARGV do
    for _, n in ipairs(held({ 0, 0, '0-0' }, look, KEYS[k + 2] .. ARGV[i])) do counts[#counts + 1] = n end
  end
  local checks = KEYS[k + 1] .. ':checks'
  answers[#answers + 1] = { dueIn(KEYS[k], KEYS[k + 1]), counts, check > 0 and held({}, page, checks, now(), check) or {}, wrong }
end
return answers
