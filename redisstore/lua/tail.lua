-- tail.lua: the ends of several logs, and the node goes on following them.
--
-- KEYS  for each: rec, followers
-- ARGS
--   follow  ms for which the node follows
-- EACH
--   member
--
-- Returns for each thread: epoch, end of the log; '' and 0 for one that cannot be
--   read.

local function follows(followers)
  for _, till in ipairs(redis.call('HVALS', followers)) do
    if not tonumber(till) then error('a follower has no time') end
  end
end

local out = {}
for k = 1, #KEYS, 2 do
  -- Only what reads is guarded: that nothing can be written is no thread's own.
  local ok, r = pcall(open, KEYS[k])
  if ok and r.seq and pcall(follows, KEYS[k + 1]) then
    create(KEYS[k], r, ARGV[REST + (k - 1) / 2], 2 * tonumber(ARG.follow))
    follow(KEYS[k + 1], tonumber(ARG.follow), 'before')
  else
    r = { epoch = '', seq = 0 }
  end
  local n = #out
  out[n + 1], out[n + 2] = r.epoch, r.seq
end
return out
