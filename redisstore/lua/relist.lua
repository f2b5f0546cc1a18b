-- relist.lua: list suspensions in all that the inbox has of them by now.
--
-- KEYS  for each: rec, journal, inbox
--
-- Returns nothing. What is not open, or cannot be read, stays as it is listed.

for k = 1, #KEYS, 3 do
  local t = { rec = KEYS[k], journal = KEYS[k + 1], inbox = KEYS[k + 2] }
  pcall(function()
    local text, head = suspension(t)
    if text then inbox(t, redis.call('HGET', t.rec, 'thread'), 'ZADD', head) end
  end)
end
return {}
