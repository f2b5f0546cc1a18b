-- inbox.lua: open suspensions, found by their members in the inbox.
--
-- KEYS  for each: rec, runs, drafts, reviewers
-- ARGS
--   tenant
--   all        1: of any tenant
--   namespace  instead of the tenant; '': none
--   owner      '': any
-- EACH
--   since  when it opened, as the member has it
--
-- Returns for each: {thread, version, title, tenant, user, agent, suspension, drafts,
--   reviewers, as suspension.lua has them}; {} when it is not open any more, or not what
--   is asked for. The suspension of one that cannot be read is what nobody can read.

local DAMAGED = '\1'

local function wanted(v)
  if ARG.owner ~= '' and v[5] ~= ARG.owner then return false end
  if ARG.namespace ~= '' then return namesIn(v[1]) == ARG.namespace end
  return ARG.all == '1' or (v[4] or '') == ARG.tenant
end

local notes = {}
for k = 4, #KEYS, 4 do notes[#notes + 1] = KEYS[k] end
if #notes > 0 then notes = redis.call('MGET', unpack(notes)) end
local out = {}
for k = 1, #KEYS, 4 do
  local t = { rec = KEYS[k], runs = KEYS[k + 1], drafts = KEYS[k + 2] }
  local v
  local function item()
    v = redis.call('HMGET', t.rec, 'thread', 'ver', 'title', 'tenant', 'owner', 'user', 'has')
    if not v[1] or not wanted(v) then return {} end
    local text, head = suspension(t)
    if not text or head[1] ~= ARGV[REST + (k - 1) / 4] then return {} end
    local _, agent = executing(t)
    local drafts = mayHave({ has = v[7] or '' }, 'd') and redis.call('HGETALL', t.drafts) or {}
    return { v[1], v[2], v[3], v[4] or '', v[6] or '', agent, text, drafts, reviewers(notes[(k + 3) / 4], head) }
  end
  local ok, found = pcall(item)
  if not ok then found = v and v[1] and { v[1], 0, v[3], v[4] or '', v[6] or '', '', DAMAGED, {}, {} } or {} end
  out[#out + 1] = found
end
return out
