-- window.lua: the messages of the stored snapshot, from a place in their order backwards.

-- NONE is what windowed returns of no messages.
local NONE = { 0, 0, '', 0, {}, {} }

-- windowed returns messages that stand before the id at an offset of a chunk: no more than
-- limit, and no more than about room bytes, unless it is one. chunk '' is the end of the order. It
-- looks into no chunk before first. t.replaced is as pieces.lua has it. named: an id is before each message. bare: without the messages.
-- It returns, and behind that how many chunks there are, and what their numbers begin with:
--   chunk and offset of the first of them, and its id
--   how many messages there are in all; one that the order names twice counts twice
--   each message, the last one first
--   where in chunks they stand: of each chunk its number, before which offset, and from which on
-- nil: id does not stand there ('': whatever does).
local function windowed(t, chunk, offset, id, limit, first, room, named, bare)
  local n = redis.call('HGET', t.snap, 'n')
  if not n then return NONE end
  local which, chunks, total = string.match(n, '^(%-?)(%d+) %d+ (%d+)$')
  chunks, total = tonumber(chunks), tonumber(total)
  local list, ids, count, spans = {}, {}, 0, {}
  if chunk == '' then
    chunk, offset = chunks, 0
  else
    chunk, offset = tonumber(chunk), tonumber(offset)
  end
  if offset > 0 or id ~= '' then
    if chunk < chunks then ids = idsIn(redis.call('HGET', t.snap, 'o' .. which .. chunk) or '') end
    if offset > #ids or id ~= '' and ids[offset + 1] ~= id then return nil end
  end
  local at = ids[offset + 1] or ''
  while count < limit do
    if offset == 0 then
      if chunk <= first then break end
      chunk = chunk - 1
      ids = idsIn(redis.call('HGET', t.snap, 'o' .. which .. chunk) or error('the order of messages has a gap'))
      offset = #ids
    end
    local from, names = offset, {}
    while from > 0 and count < limit do
      local name, size = 'm' .. ids[from], t.replaced and redis.call('HSTRLEN', t.snap, 'z:' .. ids[from]) or 0
      if size > 0 then name = 'z:' .. ids[from] else size = redis.call('HSTRLEN', t.snap, name) end
      room = room - size
      if count > 0 and room < 0 then break end
      names[#names + 1] = name
      count, from = count + 1, from - 1
    end
    if #names > 0 then
      local texts = bare and {} or redis.call('HMGET', t.snap, unpack(names))
      for i = 1, #names do
        at = ids[offset - i + 1]
        if named then list[#list + 1] = at end
        list[#list + 1] = texts[i] or false
      end
      spans[#spans + 1] = { chunk, offset, from }
      offset = from
    end
    if room < 0 then break end
  end
  return { chunk, offset, at, total, list, spans }, chunks, which
end
