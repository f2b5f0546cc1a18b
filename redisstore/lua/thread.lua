-- thread.lua: what the scripts on a whole thread share. It stands between lib.lua
-- and those that name it in scripts.go.
--
-- A script on one thread gets that thread's keys in the order of keysOf, and in
-- ARGV[7] the thread's name as the partition's sorted sets hold it.

local function keysOf(k)
  return {
    rec = k[1], log = k[2], snap = k[3], msgs = k[4], runs = k[5],
    labels = k[6], exec = k[7], journal = k[8], susp = k[9], answers = k[10],
    queue = k[11], disp = k[12], followers = k[13], leases = k[14], ready = k[15],
    archive = k[16], drafts = k[17], inbox = k[18], threads = k[19],
  }
end

-- open reads a thread's record. One that does not exist yet gets its first epoch
-- by create.
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
  else
    r.epoch = current(rec, r.epoch, v[3])
  end
  return r
end

-- create stores the record of an unused thread, so that its epoch holds.
local function create(rec, r, member)
  if not r.new then return end
  redis.call('HSET', rec, 'thread', member, 'epoch', r.epoch, 'replid', history(), 'base', r.base, 'seq', r.seq)
  r.new = false
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

-- runState reads where a run stands: its status, the log's end when it was
-- admitted, the position of its RUN_STARTED or 0, its execution. One field, as
-- four cost four times the run's id.
local function runState(t, id)
  local v = redis.call('HGET', t.runs, 'm:' .. id)
  if not v then return end
  local status, admitted, started, execution = string.match(v, '^(%a+) (%d+) (%d+) (.*)$')
  return status, tonumber(admitted), tonumber(started), execution
end

local function setRun(t, id, status, admitted, started, execution)
  redis.call('HSET', t.runs, 'm:' .. id, status .. ' ' .. admitted .. ' ' .. started .. ' ' .. execution)
end

local function follow(followers, ms)
  redis.call('HSET', followers, NODE, NOW + ms)
  redis.call('PEXPIRE', followers, 2 * ms)
end

-- nudge tells all nodes that the thread wants a claim.
local function nudge(member)
  redis.call('PUBLISH', ARGV[6], table.concat(pack({}, { 'r', NODE, member }, 1, 3)))
end

-- fenced tells a worker's node that its claim is lost.
local function fenced(node, member, token)
  if node ~= '' and node ~= NODE then
    redis.call('PUBLISH', ARGV[5] .. node, table.concat(pack({}, { 'f', member, token }, 1, 3)))
  end
end

-- log appends events that the script itself found, and remembers them in r.extra.
local function log(t, r, list)
  push(t.log, list, 1, #list)
  r.seq = r.seq + #list
  r.extra = r.extra or {}
  for i = 1, #list do r.extra[#r.extra + 1] = list[i] end
end

-- STOPPED stands for a run's last batch when stop ended the run.
local STOPPED = '4:stop'

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
    local status, admitted, _, execution = runState(t, head)
    if status ~= 'stopped' then
      redis.call('ZADD', t.ready, NOW, member)
      return true
    end
    local events = redis.call('HMGET', t.disp, '1:' .. head, '2:' .. head)
    log(t, r, events)
    r.bound = r.seq
    r.latest = head
    setRun(t, head, 'ended', admitted, r.seq - 1, execution)
    redis.call('HSET', t.runs, 't:' .. head, events[2], 'k:' .. head, STOPPED)
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
  redis.call('HSET', t.rec, 'seq', r.seq, 'ver', r.ver, 'base', r.base, 'bound', r.bound, 'snapat', r.snapat, 'run', r.run, 'token', r.token,
    'depoch', r.depoch, 'lease', r.lease, 'node', r.node, 'cn', r.cn, 'attempts', r.attempts, 'kind', r.kind,
    'latest', r.latest, 'closing', r.closing)
end
