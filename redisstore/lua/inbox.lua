-- inbox.lua: open suspensions of a tenant, found by their members in the inbox.
--
-- KEYS    for each: rec, journal, runs, drafts
-- ARGV[7] tenant
-- then    for each: when it opened, as the member has it
--
-- Returns for each: {thread, version, title, suspension, record of the run that
--   asked, drafts}; {} when it is not open any more, or another tenant's.

local out = {}
for k = 1, #KEYS, 4 do
  local t = { rec = KEYS[k], journal = KEYS[k + 1], runs = KEYS[k + 2], drafts = KEYS[k + 3] }
  local item = {}
  local text, head = suspension(t)
  if text and head[1] == ARGV[8 + (k - 1) / 4] then
    local v = redis.call('HMGET', t.rec, 'thread', 'ver', 'title', 'tenant', 'latest')
    local d = getRun(t, head[2] ~= '' and head[2] or v[5])
    if (v[4] or '') == ARGV[7] then
      item = { v[1], v[2], v[3], text, d and record(t, d) or false, redis.call('HGETALL', t.drafts) }
    end
  end
  out[#out + 1] = item
end
return out
