-- flowread.lua: what is kept of a flow.
--
-- KEYS  flow
--
-- Returns {data}, '' for nothing.

return { redis.call('HGET', KEY.flow, 'data') or '' }
