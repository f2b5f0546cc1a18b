-- hookread.lua: let a target be owed what is new among a partition's notices. It leaves
-- the stream with no entry pending: what is owed does not depend on it any more.
--
-- KEYS  notices, due, items
-- ARGS
--   group
--   from     where in the stream a group begins that is new
--   most     how many may wait. An entry is taken in whole, so that a few more may
--   kinds    that are wanted, a comma before and behind each; '': all
--   agents   the same, default for the one without a name. That a thread was deleted is
--            about no agent, and wanted in any case
--   tenant   '': any
--
-- Returns {how many are due, ms until the next is, -1 when none waits, 1 when there may be
--   more in the stream}.

-- A script looks at about BATCH notices. It reads STEP entries at a time, and fewer when there is no
-- room for MANY notices of each, which is about how many an entry has at most.
local BATCH, STEP, MANY = 100, 4, 64

local function read(count)
  return redis.pcall('XREADGROUP', 'GROUP', ARG.group, 'webhooks', 'COUNT', count, 'NOACK', 'STREAMS', KEY.notices, '>')
end

local function wants(list, value)
  return list == '' or string.find(list, ',' .. value .. ',', 1, true)
end

-- store takes a notice in, if it is wanted, and is one at all. It returns how many it takes.
local function store(id, fields, v)
  local agent = v.agent
  if agent == '' then agent = 'default' end
  if v.kind == '' or not wants(ARG.kinds, v.kind) or v.kind ~= 'thread.deleted' and not wants(ARG.agents, agent) or ARG.tenant ~= '' and v.tenant ~= ARG.tenant then return 0 end
  redis.call('HSET', KEY.items, id, packed(fields, 1, #fields))
  redis.call('ZADD', KEY.due, now(), id)
  return 1
end

-- split takes an entry in: what stands before its first kind is part of each of its notices. The
-- id of the first one is the entry's, and those of others say which they are. It returns how many it
-- has, and how many of them it takes.
local function split(id, words)
  local shared = 0
  while words[shared + 1] and words[shared + 1] ~= 'kind' do shared = shared + 2 end
  local from, n, taken = shared + 1, 0, 0
  while words[from] do
    local fields, v, at = {}, { kind = '', agent = '', tenant = '' }, from
    local function put(i)
      fields[#fields + 1], fields[#fields + 2] = words[i], words[i + 1]
      v[words[i]] = words[i + 1]
    end
    for i = 1, shared, 2 do put(i) end
    repeat
      put(at)
      at = at + 2
    until not words[at] or words[at] == 'kind'
    taken = taken + store(n == 0 and id or id .. '-' .. n, fields, v)
    from, n = at, n + 1
  end
  return n, taken
end

local room, more, seen = tonumber(ARG.most) - redis.call('ZCARD', KEY.due), 0, 0
while room > 0 and seen < BATCH do
  local count = math.min(STEP, math.max(math.floor(room / MANY), 1))
  local got = read(count)
  if got and got.err and string.find(got.err, 'NOGROUP', 1, true) then
    redis.call('XGROUP', 'CREATE', KEY.notices, ARG.group, ARG.from, 'MKSTREAM')
    got = read(count)
  end
  if got and got.err then error(got.err) end
  local entries = got and got[1] and got[1][2] or {}
  for _, e in ipairs(entries) do
    if e[2] then
      local n, taken = split(e[1], e[2])
      seen, room = seen + math.max(n, 1), room - taken
    end
  end
  more = #entries == count and 1 or 0
  if more == 0 then break end
end

local first = redis.call('ZRANGE', KEY.due, 0, 0, 'WITHSCORES')
if not first[1] then return { 0, -1, more } end
return { redis.call('ZCOUNT', KEY.due, '-inf', now()), math.max(tonumber(first[2]) - now(), 0), more }
