-- commit.lua: append batches of several runs, none of which ends, each with a
-- verdict of its own.
--
-- KEYS    for each run: rec, log, journal, followers
-- ARGV[7] for each run: member, run, token, dispatch epoch, number, expected
--         position, 1 if closing is given, closing, number of events, number of
--         records, events, records
--
-- Returns for each run: verdict (as fence), epoch, end of the log.

local out, at, r = {}, 7, {}
for k = 1, #KEYS, 4 do
  local rec = KEYS[k]
  local expect = tonumber(ARGV[at + 5])
  local events = at + 10
  local records = events + tonumber(ARGV[at + 8])
  local stop = records + tonumber(ARGV[at + 9])
  local v = redis.call('HMGET', rec, 'epoch', 'replid', 'seq', 'run', 'token', 'depoch', 'cn')
  local epoch = v[1] and current(rec, v[1], v[2]) or ARGV[3]
  r.seq, r.run, r.token = tonumber(v[3] or 0), v[4], v[5] or ''
  r.depoch, r.cn = tonumber(v[6] or 0), tonumber(v[7] or 0)
  local verdict = fence(r, ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), expect)
  if verdict == OK then
    push(KEYS[k + 1], ARGV, events, records - 1)
    push(KEYS[k + 2], ARGV, records, stop - 1)
    r.seq = expect + records - events
    if ARGV[at + 6] == '1' then
      redis.call('HSET', rec, 'seq', r.seq, 'cn', ARGV[at + 4], 'closing', ARGV[at + 7])
    else
      redis.call('HSET', rec, 'seq', r.seq, 'cn', ARGV[at + 4])
    end
    publish(KEYS[k + 3], ARGV[at], epoch, expect + 1, ARGV, events, records - 1)
  elseif verdict == STORED then
    verdict = OK
  end
  local n = #out
  out[n + 1], out[n + 2], out[n + 3] = verdict, epoch, r.seq
  at = stop
end
return out
