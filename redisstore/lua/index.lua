-- index.lua: what finds threads across threads: the inbox, the list of threads
-- and the dead letters of a partition. It stands after thread.lua in the scripts
-- that change them.
--
-- Each index is a sorted set whose members all have score 0, so that they are
-- ordered byte by byte: a digest of whose they are, a time, the thread's hash.
-- Readers hold what a member says against the thread's record: a digest places,
-- it proves nothing.

-- digest is 8 bytes that stand for a string.
local digested = {}
local function digest(s)
  local d = digested[s]
  if not d then
    local hex, floor = redis.sha1hex(s), math.floor
    local m, n = tonumber(string.sub(hex, 1, 8), 16), tonumber(string.sub(hex, 9, 16), 16)
    d = string.char(floor(m / 16777216), floor(m / 65536) % 256, floor(m / 256) % 256, m % 256,
      floor(n / 16777216), floor(n / 65536) % 256, floor(n / 256) % 256, n % 256)
    digested[s] = d
  end
  return d
end

-- stamp is a time in Unix ms as 6 bytes that sort as it does.
local function stamp(n)
  local floor = math.floor
  return string.char(floor(n / 1099511627776) % 256, floor(n / 4294967296) % 256, floor(n / 16777216) % 256,
    floor(n / 65536) % 256, floor(n / 256) % 256, n % 256)
end

local FOREVER = 256 ^ 6 - 1

-- hashOf is the thread's hash, as its keys have it.
local function hashOf(t)
  if not t.hash then t.hash = string.match(t.rec, '([^:]+):rec$') end
  return t.hash
end

local function tenantOf(t) return digest(tenant(t)) end

-- namesIn are the namespace and the thread of a member.
local function namesIn(member)
  local colon = string.find(member, ':', 1, true)
  local behind = colon + tonumber(string.sub(member, 1, colon - 1))
  return string.sub(member, colon + 1, behind), string.sub(member, behind + 1)
end

-- ANY stands for a reason in the member of those who ask for none.
local ANY = '\0\0\0\0\0\0\0\0'

-- EVERYBODY stands for all tenants.
local EVERYBODY = '\1'

-- late is what stands before when they expire in the members of suspensions of a reason.
local function late(reason) return digest('\2' .. reason) end

-- inbox lists a suspension, or takes it off the list: among its namespace's, and among
-- its tenant's and everybody's for any reason and for each that it has; by when it opened, and by when it
-- expires if it does. head is as suspension.lua has it.
local function inbox(t, member, command, head)
  if quiet(head) then return end
  local expires, reasons, change, n = tonumber(head[8]), ANY .. head[3], { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }, 0
  local function put(place)
    if command == 'ZADD' then change[n + 1], n = '0', n + 1 end
    change[n + 1], n = place .. hashOf(t), n + 1
  end
  local function places(whose, reason)
    put(whose .. reason .. head[1])
    if expires > 0 then put(whose .. late(reason) .. stamp(expires)) end
  end
  places(digest('\0' .. (namesIn(member))), ANY)
  local own, all = tenantOf(t), digest(EVERYBODY)
  for i = 1, #reasons, 8 do
    local reason = string.sub(reasons, i, i + 7)
    places(own, reason)
    places(all, reason)
  end
  redis.call(command, t.inbox, unpack(change, 1, n))
end

-- threadMember is a thread's place in the list of threads, which has its key with the decision record's.
local function threadMember(t, member, ms)
  return 'l' .. digest(namesIn(member)) .. stamp(FOREVER - ms) .. hashOf(t)
end

-- TOUCHED is what touch is to know of a record.
local TOUCHED = { 'input', 'named', 'was', 'look' }

-- touch notes that the thread got an input, of whose record v is what TOUCHED names, and
-- returns fields of the record that the caller stores; listing is what else is to be listed. The first input fixes the thread's
-- beginning, its tenant and its owner; later ones see to it that in so many ms somebody looks for what is
-- past its retention.
local function touch(t, r, member, v, of, user, owner, title, ms, listing)
  local at = digits(NOW)
  local fields = { 'input', at }
  local function set(name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  end
  if v[1] then
    redis.call('ZREM', t.lists, threadMember(t, member, tonumber(v[1])))
    local look, soon = tonumber(v[4] or 0), NOW + ms
    if look == 0 or look > soon then set('look', string.format('%.0f', soon)) end
  else
    if not r.new then redis.call('PERSIST', t.rec) end
    if r.ver > 0 then redis.call('PERSIST', t.runs) end -- of a stop all
    r.ver = r.ver + tonumber(v[3] or 0)
    set('first', at)
    if r.new or v[3] then set('thread', member) end
    if of ~= '' then
      set('tenant', of)
      t.tenant = of
    end
    if owner ~= '' then
      set('owner', owner)
      set('user', user)
      t.user = user
    end
  end
  if title ~= '' and not v[2] then set('title', title) end
  listing[#listing + 1], listing[#listing + 2] = '0', threadMember(t, member, NOW)
  piecewise('ZADD', t.lists, listing, 1, #listing)
  return unpack(fields)
end

-- begun tells the nodes that follow the thread that its log has begun again.
local function begun(r, member, epoch)
  local message = packed({ 'e', member, epoch }, 1, 3)
  for _, node in ipairs(others(r.nodes)) do redis.call('PUBLISH', ARG.channels .. node, message) end
end

-- letterMember is a dead letter's place among its tenant's.
local function letterMember(t, d) return tenantOf(t) .. stamp(d.created + d.completed) .. hashOf(t) .. d.id end

-- bury and unbury count, and move does not: a dead letter that was requeued is none any more.
local function bury(t, d)
  if redis.call('ZADD', t.dead, 0, letterMember(t, d)) == 1 then count(t, { dead_letter = 1 }) end
end

local function unbury(t, d)
  if redis.call('ZREM', t.dead, letterMember(t, d)) == 1 then count(t, { dead_letter = -1 }) end
end
