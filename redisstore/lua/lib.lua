-- lib.lua: what the scripts share. It stands before every script.
--
-- Arguments that every script gets:
-- ARGV[1] now       Unix ms; '0' means the server's own clock
-- ARGV[2] history   names the history of the data; '' means master_replid
-- ARGV[3] fresh     a new random epoch, used if one has to begin
-- ARGV[4] node      the caller's node id
-- ARGV[5] channels  the prefix of the node channels
-- ARGV[6] nudges    the channel on which ready threads are announced
--
-- A script on one thread gets that thread's keys in the order of keysOf, and
-- in ARGV[7] the thread's name as the partition's sorted sets hold it.

local NODE, CHANNELS, NUDGES = ARGV[4], ARGV[5], ARGV[6]

local NOW = tonumber(ARGV[1])
if NOW == 0 then
  local time = redis.call('TIME')
  NOW = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- history names the history of this master's data: it changes when a replica
-- is promoted or the server restarts, which is when writes may have been lost.
local known
local function history()
  if known then return known end
  known = ARGV[2]
  if known == '' then
    local info = redis.pcall('INFO', 'replication')
    known = type(info) == 'string' and string.match(info, 'master_replid:(%x+)')
    if not known then error('master_replid cannot be read') end
  end
  return known
end

local function keysOf(k)
  return {
    rec = k[1], log = k[2], snap = k[3], msgs = k[4], runs = k[5],
    labels = k[6], exec = k[7], journal = k[8], susp = k[9], answers = k[10],
    queue = k[11], disp = k[12], followers = k[13], leases = k[14], ready = k[15],
  }
end

-- open reads a thread's record. A record of another history gets a fresh epoch
-- at once, whatever the script goes on to do; one that does not exist yet gets
-- its first by save.
local function open(rec)
  local v = redis.call('HMGET', rec, 'ver', 'epoch', 'replid', 'base', 'seq', 'bound', 'snapat', 'run',
    'token', 'depoch', 'lease', 'node', 'cn', 'attempts', 'kind', 'latest', 'closing')
  local r = {
    ver = tonumber(v[1] or 0), epoch = v[2], base = tonumber(v[4] or 1), seq = tonumber(v[5] or 0),
    bound = tonumber(v[6] or 0), snapat = tonumber(v[7] or 0), run = v[8] or '', token = v[9] or '',
    depoch = tonumber(v[10] or 0), lease = tonumber(v[11] or 0), node = v[12] or '', cn = tonumber(v[13] or 0),
    attempts = tonumber(v[14] or 0), kind = v[15] or '', latest = v[16] or '', closing = v[17] or '',
  }
  if not r.epoch then
    r.epoch, r.new = ARGV[3], true
  elseif v[3] ~= history() then
    r.epoch = ARGV[3]
    redis.call('HSET', rec, 'epoch', r.epoch, 'replid', history())
  end
  return r
end

-- save stores fields of the record.
local function save(rec, r, ...)
  redis.call('HSET', rec, 'seq', r.seq, ...)
end

-- create stores the record of an unused thread, so that its epoch holds.
local function create(rec, r, member)
  if not r.new then return end
  redis.call('HSET', rec, 'thread', member, 'epoch', r.epoch, 'replid', history(), 'base', r.base, 'seq', r.seq)
  r.new = false
end

-- push appends list[first..last]. In pieces, because unpack has a limit.
local function push(key, list, first, last)
  for i = first, last, 500 do
    redis.call('RPUSH', key, unpack(list, i, math.min(i + 499, last)))
  end
end

-- pack writes strings one after the other, each with its length.
local function pack(out, list, first, last)
  for i = first, last do
    local s = tostring(list[i])
    out[#out + 1] = #s .. ':'
    out[#out + 1] = s
  end
  return out
end

-- unpacked reads what pack, or its counterpart on the Go side, has written.
local function unpacked(s)
  local list, at = {}, 1
  while at <= #s do
    local colon = string.find(s, ':', at, true)
    local n = tonumber(string.sub(s, at, colon - 1))
    list[#list + 1] = string.sub(s, colon + 1, colon + n)
    at = colon + n + 1
  end
  return list
end

-- publish sends list[first..last], which begins at position `at`, to the nodes
-- that follow the thread. The caller's own node learns it from the answer.
local function publish(followers, member, epoch, at, list, first, last)
  if last < first then return end
  local nodes, message = redis.call('HGETALL', followers), nil
  for i = 1, #nodes, 2 do
    if nodes[i] ~= NODE and tonumber(nodes[i + 1]) >= NOW then
      message = message or table.concat(pack(pack({}, { 'e', member, epoch, at }, 1, 4), list, first, last))
      redis.call('PUBLISH', CHANNELS .. nodes[i], message)
    end
  end
end

local function follow(followers, ms)
  redis.call('HSET', followers, NODE, NOW + ms)
  redis.call('PEXPIRE', followers, 2 * ms)
end

-- nudge tells all nodes that the thread wants a claim.
local function nudge(member)
  redis.call('PUBLISH', NUDGES, table.concat(pack({}, { 'r', NODE, member }, 1, 3)))
end

-- fenced tells a worker's node that its claim is lost.
local function fenced(node, member, token)
  if node ~= '' and node ~= NODE then
    redis.call('PUBLISH', CHANNELS .. node, table.concat(pack({}, { 'f', member, token }, 1, 3)))
  end
end

local OK, FENCED, AHEAD, MISMATCH, STORED = 0, 1, 2, 3, 4

-- fence judges a batch by its claim, number and expected position. STORED: it
-- is the last one stored, sent again.
local function fence(r, run, token, depoch, number, expect)
  if expect > r.seq then return AHEAD end
  if token == '' or r.run ~= run or r.token ~= token or r.depoch ~= depoch then return FENCED end
  if number == r.cn then return STORED end
  if number > r.cn + 1 then return AHEAD end
  if number <= r.cn or expect ~= r.seq then return MISMATCH end
  return OK
end

-- log appends events that the script itself found, and remembers them in r.extra.
local function log(t, r, list)
  push(t.log, list, 1, #list)
  r.seq = r.seq + #list
  r.extra = r.extra or {}
  for i = 1, #list do r.extra[#r.extra + 1] = list[i] end
end

-- release is for a thread without an active run and without a suspension: it
-- logs the runs that were stopped while they waited and now stand at the head,
-- and offers the head that remains. True: there is one to claim.
local function release(t, r, member)
  while true do
    local head = redis.call('ZRANGE', t.queue, 0, 0)[1]
    if not head then
      redis.call('ZREM', t.ready, member)
      return false
    end
    if redis.call('HGET', t.runs, 's:' .. head) ~= 'stopped' then
      redis.call('ZADD', t.ready, NOW, member)
      return true
    end
    local events = redis.call('HMGET', t.disp, '1:' .. head, '2:' .. head)
    log(t, r, events)
    r.bound = r.seq
    r.latest = head
    redis.call('HSET', t.runs, 's:' .. head, 'ended', 'b:' .. head, r.seq - 1, 't:' .. head, events[2])
    redis.call('HDEL', t.disp, 'i:' .. head, '1:' .. head, '2:' .. head)
    redis.call('ZREM', t.queue, head)
  end
end

-- unclaim takes the active dispatch off the record and off the leases.
local function unclaim(t, r, member)
  r.run, r.token, r.lease, r.node, r.cn, r.attempts, r.kind, r.closing = '', '', 0, '', 0, 0, '', ''
  redis.call('ZREM', t.leases, member)
end

-- decide stores the whole record with its version raised.
local function decide(t, r)
  r.ver = r.ver + 1
  save(t.rec, r, 'ver', r.ver, 'base', r.base, 'bound', r.bound, 'snapat', r.snapat, 'run', r.run, 'token', r.token,
    'depoch', r.depoch, 'lease', r.lease, 'node', r.node, 'cn', r.cn, 'attempts', r.attempts, 'kind', r.kind,
    'latest', r.latest, 'closing', r.closing)
end
