-- deadletters.lua: dead letters of a tenant, found by their members in the index.
--
-- KEYS  for each: rec, runs, disp
-- ARGS
--   tenant
-- EACH
--   run
--
-- Returns for each: {thread, the dispatch (as describe)}; {} when a run has continued it, or it
--   is forgotten, or is another tenant's.

local out = {}
for k = 1, #KEYS, 3 do
  local t = { rec = KEYS[k], runs = KEYS[k + 1], disp = KEYS[k + 2] }
  local function item()
    local v = redis.call('HMGET', t.rec, 'thread', 'tenant')
    local d = getRun(t, ARGV[REST + (k - 1) / 3])
    if d and d.state == 'dead_letter' and d.continued == '' and (v[2] or '') == ARG.tenant then
      return { v[1], describe(t, open(t.rec), d) }
    end
    return {}
  end
  -- One that cannot be read is left out.
  local ok, found = pcall(item)
  out[#out + 1] = ok and found or {}
end
return out
