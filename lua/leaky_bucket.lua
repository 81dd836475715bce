-- leaky_bucket: admits calls at a steady rate of `count` units per `time_ms`.
--   leaky_bucket        a meter: holds up to `burst` units, and a call that would overflow it is refused
--   leaky_bucket_queue  a queue: a call runs when all units before it have leaked, so calls are evenly spaced
--
-- Idea     Each call pours its cost into a bucket that leaks at the rate. The meter only asks whether the cost still
--          fits, which token_bucket.lua computes. The queue delays each call until the bucket is empty, and refuses a
--          call that would have to wait longer than wait_ms.
-- State    the level of token_bucket.lua, which explains the arithmetic.
-- Example  count = 10, time = 1 s, wait = 250 ms: four calls arrive at 0 ms. The first finds an empty bucket and runs at
--          once, the second runs after 100 ms and the third after 200 ms. The fourth would have to wait 300 ms: it is
--          refused. As a meter with burst = 3, the first three calls pass at once, and the fourth is refused with
--          retry_after = 100 ms.
-- ARGV     count: at most 2^25 units. burst, at most 2^25: of a meter, the units that it holds; of a queue, the most units
--          that can arrive together without a longer wait than wait_ms. wait_ms is 0 for the meter.
-- Reply    the remaining units of the queue are its free places.
-- Keep     A call that leaves units to others passes if at least as many places are free after it. Otherwise the queue refuses
--          the call. Its retry_after is the time until the last of these places has its turn.
-- Change   of the limit, and edges: as in token_bucket.lua. The queue gives back only the last charge, because the turns of
--          later calls are known.
local limit = ...

function limit.judge(units, _, ahead, cost, keep)
  local level, phase = limit.level_of(units, ahead)
  local wait = level > 0 and limit.leak_time(level, phase) or 0
  local places = floor((limit.wait_ms * limit.count - level) / limit.time_ms) + 1
  if cost > limit.burst then return NEVER, places, wait end
  if keep and keep > 0 and cost > places then return limit.leak_time(level + (cost - 1) * limit.time_ms, phase), places, wait end
  return wait, places, wait == 0 and cost > 0 and limit.leak_time(cost * limit.time_ms, 0) or wait
end
