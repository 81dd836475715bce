-- leaky_bucket: admits calls at a steady rate of `count` units per `time_ms`.
--   leaky_bucket        a meter: holds up to `burst` units, and a call that would overflow it is refused
--   leaky_bucket_queue  a queue: a call runs when all units before it have leaked, so calls are evenly spaced
--
-- Idea     Each call pours its cost into a bucket that leaks at the rate. The meter admits a call if its cost still fits.
--          token_bucket.lua computes this. The queue delays each call until nothing is in use, and refuses a call that
--          would have to wait longer than wait_ms.
-- State    the state of token_bucket.lua, which explains the arithmetic.
-- Example  count = 10, time = 1 s, wait = 250 ms: four calls arrive at 0 ms. The first finds nothing in use and runs at
--          once, the second runs after 100 ms and the third after 200 ms. The fourth would have to wait 300 ms: it is
--          refused. With a meter of burst = 3, the first three calls pass at once, and the fourth is refused with
--          retry_after = 100 ms.
-- ARGV     count: at most 2^25 units. burst: at most 2^25. For a meter, the units that it holds. For a queue, the most units
--          that can arrive together if no call may wait longer than wait_ms. wait_ms is 0 for the meter.
-- Reply    `remaining` of a queue is the number of its free places.
-- Keep     A call that leaves `keep` units to others passes if at least `keep` places are free after it. Otherwise the queue
--          refuses the call. The retry_after is then the time until the last of cost + keep units would have its turn.
-- Change   When the limit changes, and at the edges, the rules of token_bucket.lua apply. Only the last charge of a queue can
--          be given back, because the calls behind an earlier charge already know their turns.
local limit = ...

function limit.judge(units, _, ahead, cost, keep)
  local level, phase = limit.level_of(units, ahead)
  local wait = level > 0 and limit.leak_time(level, phase) or 0
  local places = floor((limit.wait_ms * limit.count - level) / limit.time_ms) + 1
  if cost > limit.burst then return NEVER, places, wait end
  if keep and keep > 0 and cost > places then return limit.leak_time(level + (cost - 1) * limit.time_ms, phase), places, wait end
  return wait, places, wait == 0 and cost > 0 and limit.leak_time(cost * limit.time_ms, 0) or wait
end
