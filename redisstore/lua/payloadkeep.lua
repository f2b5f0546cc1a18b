-- payloadkeep.lua: make what was put a payload of its thread.
--
-- KEYS  rec, payloads, upload, payload, payloadsDue, payloadBytes
-- ARGS
--   namespace
--   hash    names the thread in its partition
--   digest
--   size    bytes
--   count   of the pieces
--   keep    ms; 0: as long as the thread
--   room    bytes that the thread's payloads may have; 0: any number
--   most    how many there may be
--   grace   ms after which it is looked at whether anything refers to it
--   about   its type and its name, packed
--
-- Returns {verdict, line}: 0, and what the thread says of it; 1: pieces are missing; 2: the
--   thread has no room; 3: the thread is not in use.

local field, member = 'd' .. ARG.digest, ARG.hash .. ':' .. ARG.digest
if redis.call('HEXISTS', KEY.rec, 'input') == 0 then
  redis.call('UNLINK', KEY.upload)
  return { 3, '' }
end
local NOW, keep, size = now(), tonumber(ARG.keep), tonumber(ARG.size)
local expires = keep > 0 and NOW + keep or 0

local function written(size, created, expires, about)
  local line = string.format('%.0f %.0f %.0f %.0f ', size, created, expires, NOW) .. about
  redis.call('HSET', KEY.payloads, field, line, 'ns', ARG.namespace)
  redis.call('ZADD', KEY.payloadsDue, NOW + tonumber(ARG.grace), member)
  return { 0, line }
end

local known = redis.call('HGET', KEY.payloads, field)
if known and redis.call('EXISTS', KEY.payload) == 1 then
  local had, created, till, _, about = string.match(known, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  redis.call('UNLINK', KEY.upload)
  if till == '0' or expires == 0 then expires = 0 else expires = math.max(expires, tonumber(till)) end
  return written(tonumber(had), tonumber(created), expires, about)
end
if redis.call('HLEN', KEY.upload) ~= tonumber(ARG.count) then return { 1, '' } end
local has = redis.call('HMGET', KEY.payloads, 'bytes', 'n')
local room = tonumber(ARG.room)
if not known then
  if room > 0 and tonumber(has[1] or 0) + size > room or tonumber(has[2] or 0) >= tonumber(ARG.most) then
    redis.call('UNLINK', KEY.upload)
    return { 2, '' }
  end
  redis.call('HINCRBY', KEY.payloads, 'bytes', size)
  redis.call('HINCRBY', KEY.payloads, 'n', 1)
  redis.call('HINCRBY', KEY.payloadBytes, ARG.namespace, size)
  redis.call('HDEL', KEY.payloads, 'g' .. ARG.digest)
end
redis.call('RENAME', KEY.upload, KEY.payload)
redis.call('PERSIST', KEY.payload)
return written(size, NOW, expires, ARG.about)
