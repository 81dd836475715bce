-- counter: at most `count` units in a window of `time_ms` that starts with its first charged call.
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^32-1 units, time_ms 1 .. 366 days, burst unused, cost 0 .. 2^32-1 units.
-- State    string: the units of the window. TTL: until the window ends.
-- Reply    wait_ms, remaining, reset_after_ms (head.lua).
-- Change   of the limit: the units stay, and so does the window's end, until a call is charged; then a window
--          that would end later than the new time_ms from now ends at that moment.
local function judge(key, cost, count)
  local ttl, used = read(key)
  if not used then return FOREIGN, 0, 0 end
  local room = used < count and count - used or 0
  if cost > count then return NEVER, room, ttl end
  return cost > room and ttl or 0, room, ttl, ttl
end

local function charge(key, cost, _, time_ms, _, ttl)
  if ttl == 0 then
    call("SET", key, cost, "PX", time_ms)
    return time_ms
  end
  call("INCRBY", key, cost)
  if ttl <= time_ms then return ttl end
  call("PEXPIRE", key, time_ms)
  return time_ms
end

return judge, charge
