-- decision.lua: the decision record of a partition: a stream, and an index that finds
-- its entries. It stands after index.lua, and where decisions are made after run.lua and
-- suspension.lua.

-- places are where the index has an entry: among all, its tenant's, its user's there,
-- its namespace's, and its thread's. Of one moment they are in the order of their ids.
local function places(tenant, namespace, user, hash, at, id)
  local ms, seq = string.match(id, '^(%d+)%-(%d+)$')
  local tail, of = stamp(FOREVER - at) .. hash .. ms .. '-' .. string.rep('0', 6 - #seq) .. seq, digest(tenant)
  local list = { 'a' .. tail, 'h' .. hash .. tail, 't' .. of .. tail, 'n' .. digest(namespace) .. tail }
  if user ~= '' then list[5] = 'u' .. of .. digest(user) .. tail end
  return list
end

-- unstamped is the time of a stamp.
local function unstamped(s)
  local ms = 0
  for i = 1, #s do ms = ms * 256 + string.byte(s, i) end
  return string.format('%.0f', ms)
end

-- refusals are the fields of t.runs that count the answers to each of some decisions' interrupts
-- that were refused.
local function refusals(list)
  local fields = {}
  for i, d in ipairs(list) do fields[i] = 'n:' .. d.interrupt end
  return fields
end

-- uncount deletes those of the fields that hold something.
local function uncount(t, fields, counts)
  local some = {}
  for i, count in ipairs(counts) do
    if count then some[#some + 1] = fields[i] end
  end
  if #some > 0 then redis.call('HDEL', t.runs, unpack(some)) end
end

-- decisionsIn reads decisions from ARGV[first] to ARGV[last]; the script declares what EACH has.
local function decisionsIn(first, last)
  local list = {}
  for i = first, last, WIDTH do
    list[#list + 1] = { interrupt = ARGV[i + EACH.interrupt], status = ARGV[i + EACH.status], by = ARGV[i + EACH.by],
      tool = ARGV[i + EACH.tool], body = ARGV[i + EACH.body] }
  end
  return list
end

-- recordDecisions writes what was decided, by the run that the answer began; '': none. counts
-- are what the fields of refusals hold. It returns what is to be put into t.lists.
local function recordDecisions(t, member, run, list, counts)
  local namespace, thread = namesIn(member)
  local members = {}
  local _, head = suspension(t)
  local _, agent = executing(t)
  uncount(t, refusals(list), counts)
  for i, d in ipairs(list) do
    local entry = { 'interrupt', d.interrupt, 'status', d.status, 'user', d.by, 'tool', d.tool,
      'namespace', namespace, 'thread', thread, 'tenant', tenant(t),
      'agent', agent or '', 'run', run, 'refused', counts[i] or '', 'key', hashOf(t), 'asked', unstamped(head[1]),
      'at', string.format('%.0f', NOW), 'body', d.body }
    local told = {}
    for j = 1, #entry, 2 do
      if entry[j + 1] ~= '' then
        told[#told + 1] = entry[j]
        told[#told + 1] = entry[j + 1]
      end
    end
    local id = redis.call('XADD', t.decisions, '*', unpack(told))
    for _, m in ipairs(places(tenant(t), namespace, d.by, hashOf(t), NOW, id)) do
      members[#members + 1] = '0'
      members[#members + 1] = m
    end
  end
  return members
end

-- fieldsOf is what an entry of the stream has, by name.
local function fieldsOf(found)
  local entry = {}
  for i = 1, #found[2], 2 do entry[found[2][i]] = found[2][i + 1] end
  return entry
end

-- recorded is a decision; nil: there is none of that id.
local function recorded(key, id)
  local found = redis.call('XRANGE', key, id, id)[1]
  return found and fieldsOf(found)
end

-- unrecord forgets a decision. What somebody else has written into the stream may lack
-- anything.
local function unrecord(t, id, entry)
  local at = tonumber(entry.at) or 0
  if not (at >= 0 and at <= FOREVER) then at = 0 end
  local members = places(entry.tenant or '', entry.namespace or '', entry.user or '', entry.key or '', at, id)
  redis.call('ZREM', t.lists, unpack(members))
  redis.call('XDEL', t.decisions, id)
end
