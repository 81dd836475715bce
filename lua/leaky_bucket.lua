-- leaky_bucket: admits calls at a steady rate of `count` units per `time_ms`.
--   leaky_bucket        a meter: holds up to `burst` units, and a call that would overflow it is refused
--   leaky_bucket_queue  a queue: a call runs when all units before it have leaked, so calls are evenly spaced
--
-- Idea     Each call pours its cost into a bucket that leaks at the rate. The meter only asks whether the cost still
--          fits, which is the same arithmetic as a token bucket's. The queue delays each call until the bucket is
--          empty, and refuses a call that would have to wait longer than wait_ms.
-- State    the level of bucket.lua, which explains the arithmetic.
-- Example  count = 10, time = 1 s, wait = 250 ms: four calls arrive at 0 ms. The first finds an empty bucket and runs at
--          once, the second runs after 100 ms and the third after 200 ms. The fourth would have to wait 300 ms: it is
--          refused. As a meter with burst = 3, the first three calls pass at once, and the fourth is refused with
--          retry_after = 100 ms.
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25 units, time_ms 1 .. 366 days; burst 0 .. 2^25: the units that the meter holds, or
--          the units of calls that can arrive at the queue at once and wait at most wait_ms; wait_ms 0 .. 366 days, 0
--          for the meter; cost 0 .. 2^32-1 units.
-- Reply    delay_ms, remaining (of the queue: its free places), reset_after_ms (decide.lua).
-- Change   of the limit: as in bucket.lua.
-- Edges    as in bucket.lua. The queue gives back only the last charge, because the turns of later calls are known.
local is_queue = ... == "leaky_bucket_queue"
local read_level, leak_time, charge, give = modules.bucket(false)

local function judge(key, cost, count, time_ms, burst, wait_ms)
  local level, units, elapsed, ttl = read_level(key, count, time_ms)
  if not level then return FOREIGN, 0, 0 end
  local reset = level > 0 and leak_time(level, count, time_ms, elapsed) or 0
  if is_queue then
    local places = floor((wait_ms * count - level) / time_ms) + 1
    return cost > burst and NEVER or reset, places, reset, units, elapsed, ttl
  end
  local room = burst * time_ms - level
  local wait = 0
  if cost > burst then
    wait = NEVER
  elseif cost * time_ms > room then
    wait = leak_time(cost * time_ms - room, count, time_ms, elapsed)
  end
  return wait, floor(room / time_ms), reset, units, elapsed, ttl
end

local function give_back(key, units, count, time_ms, burst, wait_ms, stamp, now)
  return give(key, units, count, time_ms, burst, wait_ms, stamp, now, is_queue)
end

return judge, charge, give_back
