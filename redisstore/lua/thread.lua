-- thread.lua: what the scripts on a whole thread share: its keys, its record,
-- its log. It stands between lib.lua and those that name it in scripts.go.
--
-- A script on one thread gets that thread's keys in the order of keysOf, and, where it
-- needs the thread's name as the partition's sorted sets hold it, a member.

local NOW = now()

local function keysOf(k)
  return {
    rec = k[1], log = k[2], snap = k[3], runs = k[4],
    journal = k[5], closing = k[6], queue = k[7], disp = k[8],
    archive = k[9], drafts = k[10], big = k[11], past = k[12], producers = k[13],
    leases = k[14], ready = k[15], counts = k[16], inbox = k[17], lists = k[18], dead = k[19],
    notices = k[20], work = k[21], decisions = k[22],
  }
end

-- What only a claim needs lies in one field of the record: the lease's end, the attempts,
-- how the claim came about (a letter, or nothing), since when its run is active (0: not noted), and its node.
local CLAIM = '^(%d+) (%d+) (%a?) (%d+) (.*)$'

local function claimOf(r)
  if r.run == '' then return '' end
  return string.format('%d %d %s %d %s', r.lease, r.attempts, r.kind, r.since, r.node)
end

-- open reads a thread's record, and by other names what else the caller wants of it. One
-- that does not exist yet gets its first epoch by create.
local function open(rec, ...)
  local v = redis.call('HMGET', rec, 'ver', 'epoch', 'replid', 'base', 'seq', 'bound', 'snapat', 'run',
    'token', 'depoch', 'claim', 'cn', 'latest', 'pause', 'n', 'len', 'marks', 'held', 'told', 'work', 'nodes', 'has', ...)
  local r = {
    ver = (v[1] or 0) + 0, epoch = v[2], base = (v[4] or 1) + 0, seq = (v[5] or 0) + 0,
    bound = (v[6] or 0) + 0, snapat = (v[7] or 0) + 0, run = v[8] or '', token = v[9] or '',
    depoch = (v[10] or 0) + 0, cn = (v[12] or 0) + 0, latest = v[13] or '', pause = v[14] or '',
    n = (v[15] or 0) + 0, bytes = (v[16] or 0) + 0, marks = v[17] or '',
    held = v[18] or '', work = v[20] or '', nodes = v[21] or '', has = v[22] or '',
    lease = 0, attempts = 0, kind = '', since = 0, node = '', told = 0, gone = 0, had = v,
  }
  v[4], v[6], v[7], v[10], v[15] = r.base, r.bound, r.snapat, r.depoch, r.n -- for decide
  if string.find(r.has, '[^acdjqwp]') then error('a record says that it has what there is not') end
  if (v[11] or '') ~= '' then
    local lease, attempts, kind, since, node = string.match(v[11], CLAIM)
    if not lease then error('the claim in a record is damaged') end
    r.lease, r.attempts, r.kind, r.since, r.node = lease + 0, attempts + 0, kind, since + 0, node
  end
  local told, gone = string.match(v[19] or '', '^(%d+) (%d+)$')
  if told then r.told, r.gone = told + 0, gone + 0 end
  if not r.epoch then
    r.epoch, r.new = ARG.fresh, true
  else
    r.epoch = current(rec, r.epoch, v[3])
  end
  return r, unpack(v, 23)
end

-- create stores who follows the thread, if that has changed, and the record of an unused thread, so that its epoch holds, for ms at
-- least: anybody may ask for any thread. One that was made and named stays.
-- named: whether it has a title; nil: that is looked up. What commit.lua reads comes first: that is
-- where it is found fastest.
local function create(rec, r, member, ms, named)
  if r.new then
    redis.call('HSET', rec, 'seq', r.seq, 'len', r.bytes, 'cn', r.cn, 'run', r.run, 'token', r.token, 'depoch', r.depoch,
      'pause', r.pause, 'epoch', r.epoch, 'replid', history(), 'base', r.base,
      'thread', member, 'nodes', r.nodes)
  elseif r.follows then
    redis.call('HSET', rec, 'nodes', r.nodes)
  end
  r.follows = false
  if r.ver == 0 and (r.new or redis.call('PTTL', rec) < ms) then
    if named == nil then named = redis.call('HEXISTS', rec, 'title') == 1 end
    if not named then redis.call('PEXPIRE', rec, ms) end
  end
  r.new = false
end

-- tenant is whose the thread is, and is read once, with the user for whom it counts.
local function tenant(t)
  if not t.tenant then
    local v = redis.call('HMGET', t.rec, 'tenant', 'user')
    t.tenant, t.user = v[1] or '', v[2] or ''
  end
  return t.tenant
end

local function toStream(t) redis.call('XADD', t.notices, 'MAXLEN', '~', ARG.notices, '*', unpack(t.told)) end

-- announce tells what was left to it (notice.lua). What cannot be told keeps nothing else from
-- happening.
local function announce(t)
  if t.told then pcall(toStream, t) end
  t.told = nil
end

-- decide stores what has changed of the record with its version raised, or a new one, and other
-- fields of it. It announces what the script has made true.
local function decide(t, r, ...)
  r.ver = r.ver + 1
  local had, fields = r.had, nil
  local seq, len, cn, ver = digits(r.seq), digits(r.bytes), digits(r.cn), digits(r.ver)
  if r.new then
    fields = { 'seq', seq, 'len', len, 'cn', cn, 'run', r.run, 'token', r.token, 'depoch', r.depoch,
      'pause', r.pause, 'epoch', r.epoch, 'replid', history(), 'nodes', r.nodes, 'base', r.base, 'ver', ver,
      'latest', r.latest, 'claim', claimOf(r), ... }
  else
    fields = { 'seq', seq, 'len', len, 'cn', cn, 'run', r.run, 'token', r.token, 'ver', ver,
      'latest', r.latest, 'claim', claimOf(r), ... }
  end
  local n = #fields
  local function put(name, value)
    fields[n + 1], fields[n + 2], n = name, value, n + 2
  end
  if not r.new then
    if r.base ~= had[4] then put('base', r.base) end
    if r.depoch ~= had[10] then put('depoch', r.depoch) end
    if r.pause ~= (had[14] or '') then put('pause', r.pause) end
    if r.follows then put('nodes', r.nodes) end
  end
  if r.bound ~= had[6] then put('bound', digits(r.bound)) end
  if r.snapat ~= had[7] then put('snapat', digits(r.snapat)) end
  if r.n ~= had[15] then put('n', digits(r.n)) end
  if r.marks ~= (had[17] or '') then put('marks', r.marks) end
  if r.held ~= (had[18] or '') then put('held', r.held) end
  if r.has ~= (had[22] or '') then put('has', r.has) end
  redis.call('HSET', t.rec, unpack(fields, 1, n))
  announce(t)
end

-- activeFor is for how many ms the thread's run has been active, through whatever
-- claims; 0: nobody has noted it.
local function activeFor(r) return r.since > 0 and math.max(NOW - r.since, 0) or 0 end

-- A chunk of the order of the messages begins with how many ids stand before it, and with how
-- many bytes the chunks before it have.
local CHUNK_HEAD = '^(%d+) (%d+);()'

-- SAMPLE is how many messages are looked at to tell how many bytes all of them have.
local SAMPLE = 64

-- held is how many bytes the messages and the state have: r.held says it, of which
-- snapshot, and how many chunks the order has then. Of one that a server has written that does not count them it is found out
-- anew, of many messages from some.
local function held(t, r)
  local bytes, at = string.match(r.held, '^(%d+) (%d+)')
  if tonumber(at) == r.snapat then return tonumber(bytes) end
  bytes = 0
  if r.snapat > 0 then
    local looked, sum, messages = redis.call('HRANDFIELD', t.snap, SAMPLE), 0, 0
    for _, name in ipairs(looked) do
      if string.byte(name) == 109 then -- m
        sum, messages = sum + redis.call('HSTRLEN', t.snap, name), messages + 1
      end
    end
    local which, chunks = string.match(redis.call('HGET', t.snap, 'n') or '', '^(%-?)(%d+)')
    chunks = tonumber(chunks or 0)
    bytes = redis.call('HSTRLEN', t.snap, 's')
    if chunks > 0 then
      local last = redis.call('HGET', t.snap, 'o' .. which .. chunks - 1) or ''
      local _, before, at = string.match(last, CHUNK_HEAD)
      bytes = bytes + (before or 0) + #last - (at or 1) + 1
    end
    if messages > 0 then bytes = bytes + math.floor(sum / messages * (redis.call('HLEN', t.snap) - chunks)) end
  end
  r.held = string.format('%.0f %.0f', bytes, r.snapat)
  return bytes
end

-- unpacked reads what packed, or its counterpart on the Go side, has written; from: behind what else.
local function unpacked(s, from)
  local list, n, at, find, sub = { nil, nil, nil, nil, nil, nil, nil, nil }, 0, from or 1, string.find, string.sub
  while at <= #s do
    local _, colon, length = find(s, '^(%d+):', at)
    local last = colon and colon + length
    if not last or last > #s then error('a packed list is damaged') end
    n = n + 1
    list[n], at = last > colon and sub(s, colon + 1, last) or '', last + 1
  end
  return list
end

-- idsIn are the ids of a chunk.
local function idsIn(chunk)
  local _, _, at = string.match(chunk, CHUNK_HEAD)
  return unpacked(chunk, at)
end

-- In the archive of messages PENDING stands before and behind the archiver that takes a message out
-- with very many others, and BEGUN before those of the archivers whose run has begun. BRINGS has the
-- archiver that brought the last of them, and how many pieces. BEGUN alone has the
-- thread's version since the last messages were taken out. No id of a message begins so.
local PENDING, BEGUN, BRINGS = '\0', '\254', '\253'

-- archiverOf names a run that was judged on a version.
local function archiverOf(run, version) return run .. ' ' .. version end

-- inArchive reports whether what the archive holds of an id says that it was taken out.
local function inArchive(t, text)
  if not text then return false end
  local archiver = string.match(text, '^%z([^%z]*)%z')
  if not archiver then return true end
  t.begun = t.begun or {}
  if t.begun[archiver] == nil then t.begun[archiver] = redis.call('HEXISTS', t.archive, BEGUN .. archiver) == 1 end
  return t.begun[archiver]
end

-- archivedOf is of each of list[first..] 1 if it was taken out, else 0.
local function archivedOf(t, list, first)
  local out = {}
  if redis.call('EXISTS', t.archive) == 0 then return out end
  for i = first, #list, 500 do
    for _, text in ipairs(redis.call('HMGET', t.archive, unpack(list, i, math.min(i + 499, #list)))) do
      out[#out + 1] = inArchive(t, text) and 1 or 0
    end
  end
  return out
end

-- JUST says how much of the time for which a node follows counts for nothing.
local JUST = 60

-- follow notes in r that the node follows for ms, and strikes out who does no more; create or
-- decide stores it. as: nil,
-- it watches; 'sender', it does not, unless it does already; 'before', as it did. Who has
-- been noted just before, by the call that read what this one writes, is not noted again.
local function follow(r, ms, as)
  local kept, known, sent = {}, nil, false
  for node, till, sends in string.gmatch(r.nodes, FOLLOWER) do
    if tonumber(till) >= NOW and node == NODE then
      known, sent = tonumber(till), sends == '~'
    elseif tonumber(till) >= NOW then
      kept[#kept + 1] = node .. ' ' .. till .. sends .. ' '
    end
  end
  local sends = as == 'sender'
  if known and (sends or as == 'before') then sends = sent end
  if known and known >= NOW + ms - ms / JUST and sent == sends then return end
  kept[#kept + 1] = NODE .. ' ' .. string.format('%.0f', NOW + ms) .. (sends and '~' or '') .. ' '
  r.nodes, r.follows = table.concat(kept), true
end

-- nudge tells all nodes that there is work of an agent in the thread's partition.
local function nudge(t, r, member)
  local agent = string.match(r.work, '^%S+ %S+ (.*)$')
  redis.call('PUBLISH', ARG.nudges, packed({ 'r', NODE, member, agent }, 1, agent and 4 or 3))
end

-- fenced tells a worker's node that its claim is lost.
local function fenced(node, member, token)
  if node ~= '' and node ~= NODE then
    redis.call('PUBLISH', ARG.channels .. node, packed({ 'f', member, token }, 1, 3))
  end
end

-- retainedFrom is the position of the first event that can be read: behind the last mark
-- of a snapshot that has moved on. r.told is where the latest mark is, r.gone the one before.
local function retainedFrom(r)
  return math.max(r.base, (r.told == r.snapat - 1 and r.gone or r.told) + 1)
end

-- firstOf is the position of an element's first event.
local function firstOf(e)
  local at = e and string.match(e, '^%d+')
  if not at then error('an element of a log is damaged') end
  return at + 0
end

-- elementAt is the place in the log's list of the element that has a position, or one so near before
-- it, and how many elements there are. Each has one event at least, which says most of it.
local function elementAt(r, log, at, near)
  local n = redis.call('LLEN', log)
  local low, high = math.max(n - 1 - (r.seq - at), 0), math.min(at - r.base, n - 1)
  while high - low > (near and near * n / math.max(r.bytes, 1) or 0) do
    local i = math.ceil((low + high) / 2)
    if firstOf(redis.call('LINDEX', log, i)) > at then high = i - 1 else low = i end
  end
  return low, n
end

-- leading returns elements of the log with the first events from a position on, limit at least if there
-- are so many; where the list has the first; how many there are. They are no more than fill a page,
-- of about most bytes, if it is not one alone, and with most nil of few enough events.
local function leading(r, log, big, first, limit, most)
  local page = most or 262144
  local list, n, room, last = {}, 0, page, math.min(r.seq, first + (most and limit or math.min(limit, 4096)) - 1)
  if first > last then return list, 0, 0 end
  local place, all = elementAt(r, log, first, 32768) -- bytes that are read for nothing
  local step = math.min(math.max(math.floor(page * all / math.max(r.bytes, 1)), 1), 256, last - first + 32)
  local function more(at, e)
    local from = firstOf(e)
    if from > last then return false end
    if from <= first then place, n, room = at, 0, page end
    if string.byte(e, -1) == 0 and string.match(e, '^%d+,%d+:%z$') then
      if n > 0 and redis.call('HSTRLEN', big, from) > room then return false end
      local event = redis.call('HGET', big, from)
      e = event and element(from, { event }) or e
    end
    room = room - #e
    if n > 0 and room < 0 then return false end
    n = n + 1
    list[n] = e
    return true
  end
  local at, going = place, true
  while going and at < all do
    for i, e in ipairs(redis.call('LRANGE', log, at, at + step - 1)) do
      going = going and more(at + i - 1, e)
    end
    at = at + step
  end
  -- What stands before the position in its element is not sent.
  local from, _, large, behind = string.match(list[1] or '', '^(%d+),(%d+):(%z?)()')
  if from and from + 0 < first and large == '' then
    for _ = from + 0, first - 1 do
      local _, colon, length = string.find(list[1], '^(%d+):', behind)
      behind = colon + length + 1
    end
    list[1] = digits(first) .. ',0:' .. string.sub(list[1], behind)
  end
  return list, place, all
end

-- log appends events that the script itself found, and remembers them in r.extra.
local function log(t, r, list)
  if #list == 0 then return end
  append(r, t.log, nil, { element(r.seq + 1, list) }, 1, 1, #list)
  r.extra = r.extra or {}
  for i = 1, #list do r.extra[#r.extra + 1] = list[i] end
end

-- holds reports whether the claim is the thread's.
local function holds(r, run, token, depoch)
  return token ~= '' and r.run == run and r.token == token and r.depoch == depoch
end
