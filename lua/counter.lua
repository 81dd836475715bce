-- counter: admits at most `count` units in a window of `time_ms`, which starts with its first charged call.
--
-- Idea     The key holds the units of the current window, and its TTL is the time until the window ends. The first
--          charge creates the key; later charges increment it and leave the TTL alone. When the key expires, the window
--          is over, and the next charge starts a new one.
-- State    string: the units of the last window. TTL: the time until that window ends. Calls that wait fill later
--          windows in their order of arrival; while TTL > time_ms, the last window has not begun.
-- Example  count = 5, time = 60 s. A call at 0 s writes 1 with a TTL of 60 s, and four more calls raise it to 5. A call
--          at 20 s is refused with retry_after = 40 s. At 60 s the key has expired, and a call starts the next window.
--          With wait = 60 s, the call at 20 s is not refused: it writes 1 with a TTL of 100 s and runs 40 s later,
--          when the window from 60 s to 120 s begins.
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^32-1 units, time_ms 1 .. 366 days, burst = count, wait_ms 0 .. 366 days,
--          cost 0 .. 2^32-1 units.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: the units and the end of the window stay until a call is charged. If the window would then
--          end later than the new time_ms + wait_ms from now, it is shortened to time_ms.
-- Edges    Two windows can touch, so an interval of length `time` can admit up to 2 * count units.
local function judge(key, cost, count, time_ms, _, wait_ms)
  local ttl, used = read(key)
  if not used then return FOREIGN, 0, 0 end
  local room = count - used
  local starts_in = ttl > time_ms and ttl <= time_ms + wait_ms and ttl - time_ms or 0
  local free = (starts_in == 0 or room < 0) and room or 0
  if cost > count then return NEVER, free, ttl, ttl end
  return cost > room and ttl or starts_in, free, ttl, ttl
end

local function charge(key, cost, _, time_ms, _, wait_ms, wait, ttl)
  if wait == ttl then -- there is no window, or the turn begins when the last window ends
    call("SET", key, digits[cost], "PX", digits[wait + time_ms])
    return wait + time_ms
  end
  if not add(key, cost) then return nil end
  if ttl <= time_ms + wait_ms then return ttl end
  call("PEXPIRE", key, time_ms)
  return time_ms
end

-- Stamp: the end of the window. Only the last window gives units back.
local function give(key, units, _, time_ms, _, _, stamp, now)
  local ttl, used = read(key)
  if not used or ttl == 0 or not same(now + ttl, stamp, time_ms) then return 0 end
  if units > used then units = used end
  return units > 0 and add(key, -units) and units or 0
end

return judge, charge, give
