-- counter: at most `count` units in a window of `time_ms` that starts with its first charged call.
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^32-1 units, time_ms 1 .. 366 days, burst = count, wait_ms 0 .. 366 days,
--          cost 0 .. 2^32-1 units.
-- State    string: the units of the last window. TTL: until that window ends. Calls that wait fill later windows,
--          in the order in which they came: the last window has not begun while TTL > time_ms.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: the units stay, and so does the window's end, until a call is charged; then a window
--          that would end later than the new time_ms + wait_ms from now ends after time_ms.
local function judge(key, cost, count, time_ms, _, wait_ms)
  local ttl, used = read(key)
  if not used then return FOREIGN, 0, 0 end
  local room = count - used
  local begins = ttl > time_ms and ttl <= time_ms + wait_ms and ttl - time_ms or 0
  local free = (begins == 0 or room < 0) and room or 0
  if cost > count then return NEVER, free, ttl, ttl end
  return cost > room and ttl or begins, free, ttl, ttl
end

local function charge(key, cost, _, time_ms, _, wait_ms, wait, ttl)
  if wait == ttl then -- none is alive, or the turn begins where the last window ends
    call("SET", key, digits[cost], "PX", digits[wait + time_ms])
    return wait + time_ms
  end
  if not add(key, cost) then return nil end
  if ttl <= time_ms + wait_ms then return ttl end
  call("PEXPIRE", key, time_ms)
  return time_ms
end

-- Stamp: the end of the window. Only the last window gives back.
local function give(key, units, _, time_ms, _, _, stamp, now)
  local ttl, used = read(key)
  if not used or ttl == 0 or not same(now + ttl, stamp, time_ms) then return 0 end
  if units > used then units = used end
  return units > 0 and add(key, -units) and units or 0
end

return judge, charge, give
