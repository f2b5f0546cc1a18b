-- pause.lua: the wish that the active run suspends. In the record '1' is a wish, '2'
-- one that the claim's worker carries out, and '0' stands before the name of the
-- call that took the last one back. What goes along with it stands in disp.
--
-- KEYS  rec, disp
-- ARGS
--   how      'wish', 'back' (take it back) or 'take' (carry it out)
--   request  'back': names the call
--   run      'take': with token and depoch, the dispatch epoch, the claim
--   token
--   depoch
--   note     'wish': what goes along with it
--
-- Returns {1 if that is so now, of 'take' the note}; 0 when no run is active, there is no
--   wish, or the claim is lost.

local r, how = open(KEY.rec), ARG.how
local before, after, note = r.pause, nil, ''
if r.run == '' then return { 0, '' } end
if how == 'wish' then
  after = before == '2' and '2' or '1'
  redis.call('HSET', KEY.disp, 'p:', ARG.note)
elseif how == 'back' then
  local back = '0' .. ARG.request
  if before == '1' or before == back then after = back end
elseif holds(r, ARG.run, ARG.token, tonumber(ARG.depoch)) and (before == '1' or before == '2') then
  after, note = '2', redis.call('HGET', KEY.disp, 'p:') or ''
end
if not after then return { 0, '' } end
if after ~= before then redis.call('HSET', KEY.rec, 'pause', after) end
return { 1, note }
