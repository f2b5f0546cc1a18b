-- commit.lua: append batches of several runs, none of which ends, each with a
-- verdict of its own.
--
-- KEYS  for each: rec, log, journal,
--       and closing if one is given, big if an event is large
-- EACH
--   member
--   run
--   token
--   depoch   the dispatch epoch
--   number
--   expect   position
--   flags    1: closing is given, and 2 more: an event is large
--   closing
--   events   how many
--   elements in how many elements of the log
--   entries  how many
-- and behind each group those, its entries
--
-- Returns for each run: verdict (as fence, PAUSED and JOINS), epoch, end of the log.

local out, at, r, k = {}, REST, {}, 1
while KEYS[k] do
  local rec = KEYS[k]
  local expect = tonumber(ARGV[at + EACH.expect])
  local events = at + WIDTH
  local entries = events + tonumber(ARGV[at + EACH.elements])
  local stop = entries + tonumber(ARGV[at + EACH.entries])
  local flags = tonumber(ARGV[at + EACH.flags])
  local closes, large = flags % 2, flags > 1 and 1 or 0
  local v = redis.call('HMGET', rec, 'seq', 'cn', 'run', 'token', 'depoch', 'pause', 'epoch', 'replid', 'len', 'join', 'nodes', 'has')
  -- Without events the log stays as it is, and its epoch with it.
  local epoch = v[7] or ARG.fresh
  if v[7] and entries > events then epoch = current(rec, v[7], v[8]) end
  r.seq, r.cn, r.run, r.token = tonumber(v[1] or 0), tonumber(v[2] or 0), v[3], v[4]
  r.depoch, r.bytes = v[5], tonumber(v[9] or 0)
  local verdict = fence(r, ARGV[at + EACH.run], ARGV[at + EACH.token], ARGV[at + EACH.depoch],
    tonumber(ARGV[at + EACH.number]), expect)
  if verdict == OK then
    append(r, KEYS[k + 1], large == 1 and KEYS[k + 3 + closes] or nil, ARGV, events, entries - 1, tonumber(ARGV[at + EACH.events]))
    piecewise('RPUSH', KEYS[k + 2], ARGV, entries, stop - 1)
    local closing = closes == 1 and ARGV[at + EACH.closing]
    r.has = v[12] or ''
    if entries < stop then gets(r, 'j') end
    if closing and (closing ~= '' or mayHave(r, 'c')) then
      redis.call('SET', KEYS[k + 3], closing)
      gets(r, 'c')
    end
    redis.call('HSET', rec, 'seq', digits(r.seq), 'len', digits(r.bytes), 'cn', ARGV[at + EACH.number], 'has', r.has)
    publish(v[11] or '', ARGV[at + EACH.member], epoch, ARGV, events, entries - 1)
  elseif verdict == STORED then
    verdict = OK
  end
  if verdict == OK then
    if v[6] == '1' then verdict = verdict + PAUSED end
    if v[10] then verdict = verdict + JOINS end
  end
  local n = #out
  out[n + 1], out[n + 2], out[n + 3] = verdict, epoch, r.seq
  at, k = stop, k + 3 + closes + large
end
return out
