-- decisions.lua: entries of the decision record, found by their members in its index.
--
-- KEYS  for each: decisions
-- ARGS
--   tenant
--   all        1: of whichever tenant
--   key        the thread's hash; '': of any
--   namespace  '': any
--   user       '': any
--   tool       '': any
--   status     '': any
--   agent      '': any
-- EACH
--   id
--
-- Returns for each: {interrupt, status, user, tool, namespace, thread, tenant, agent,
--   run, refused, asked, at, body}; {} when it is there no more, or is not asked for.

local function wanted(entry)
  return entry and entry.interrupt and entry.key and (ARG.all == '1' or (entry.tenant or '') == ARG.tenant)
    and (ARG.key == '' or entry.key == ARG.key) and (ARG.namespace == '' or entry.namespace == ARG.namespace)
    and (ARG.user == '' or entry.user == ARG.user) and (ARG.tool == '' or entry.tool == ARG.tool)
    and (ARG.status == '' or entry.status == ARG.status) and (ARG.agent == '' or entry.agent == ARG.agent)
end

local out = {}
for k = 1, #KEYS do
  local ok, entry = pcall(recorded, KEYS[k], ARGV[REST + (k - 1) * WIDTH + EACH.id])
  if ok and wanted(entry) then
    local one = {}
    for i, name in ipairs({ 'interrupt', 'status', 'user', 'tool', 'namespace', 'thread', 'tenant', 'agent', 'run', 'refused', 'asked', 'at', 'body' }) do
      one[i] = entry[name] or ''
    end
    out[k] = one
  else
    out[k] = {}
  end
end
return out
