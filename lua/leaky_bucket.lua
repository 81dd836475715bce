-- leaky_bucket: leaks `count` units per `time_ms`.
--   leaky_bucket        as a meter: holds `burst` units, and what would overflow is refused
--   leaky_bucket_queue  as a queue: a call leaves when all before it has leaked, so that calls are evenly spaced
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25 units, time_ms 1 .. 366 days; burst 0 .. 2^25: units that it holds, for the
--          queue those of calls that could come at once and wait at most wait_ms; wait_ms 0 .. 366 days, of the meter 0;
--          cost 0 .. 2^32-1 units.
-- State    the level of bucket.lua.
-- Reply    delay_ms, remaining (for the queue: places in it), reset_after_ms (decide.lua).
-- Change   as in bucket.lua.
local queue = ... == "leaky_bucket_queue"
local open, drained, charge, give = modules.bucket(false)

local function judge(key, cost, count, time_ms, burst, wait_ms)
  local level, units, elapsed, ttl = open(key, count, time_ms)
  if not level then return FOREIGN, 0, 0 end
  local empty = level > 0 and drained(level, count, time_ms, elapsed) or 0
  if queue then
    local places = floor((wait_ms * count - level) / time_ms) + 1
    return cost > burst and NEVER or empty, places, empty, units, elapsed, ttl
  end
  local room = burst * time_ms - level
  local wait = 0
  if cost > burst then
    wait = NEVER
  elseif cost * time_ms > room then
    wait = drained(cost * time_ms - room, count, time_ms, elapsed)
  end
  return wait, floor(room / time_ms), empty, units, elapsed, ttl
end

local function give_back(key, units, count, time_ms, burst, wait_ms, stamp, now)
  return give(key, units, count, time_ms, burst, wait_ms, stamp, now, queue)
end

return judge, charge, give_back
