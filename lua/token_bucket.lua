-- token_bucket: admits bursts of up to `burst` tokens, and `count` tokens per `time_ms` in the long run.
--   token_bucket           tokens come back continuously
--   token_bucket_interval  all `count` tokens come back at the end of each time_ms, measured from the call that found
--                          the bucket full
--
-- Idea     A bucket holds up to `burst` tokens. A call takes `cost` tokens; if there are not enough, it is refused and
--          nothing changes. The state stores the tokens that were taken and have not come back: the level of
--          bucket.lua, which explains the arithmetic.
-- State    the level of bucket.lua. A level above `burst` is debt: calls that wait for their turn.
-- Example  count = 10, time = 1 s, burst = 10. At 0 ms a call takes 4 tokens: 6 remain. At 200 ms two tokens have come
--          back: a call that costs 8 passes, and 0 remain. At 250 ms a call that costs 1 is refused with
--          retry_after = 50 ms. With wait = 100 ms it passes and runs 50 ms later.
--          By interval, the first tokens come back at 1000 ms: all that were taken, because `count` is 10.
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25 tokens, time_ms 1 .. 366 days, burst: the most tokens that can be taken at once,
--          including what can be borrowed, 0 .. 2^25 tokens, wait_ms 0 .. 366 days, cost 0 .. 2^32-1 tokens. Rust
--          checks that all products of these numbers are exact.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: as in bucket.lua.
-- Edges    as in bucket.lua. A cost above `burst` never passes.
local by_interval = ... == "token_bucket_interval"
local read_level, leak_time, charge, give = modules.bucket(by_interval)

local function judge(key, cost, count, time_ms, burst)
  local level, units, elapsed, ttl = read_level(key, count, time_ms)
  if not level then return FOREIGN, 0, 0 end
  local scale = by_interval and 1 or time_ms
  local room = burst * scale - level
  local wait = 0
  if cost > burst then
    wait = NEVER
  elseif cost * scale > room then
    wait = leak_time(cost * scale - room, count, time_ms, elapsed)
  end
  local reset = level > 0 and leak_time(level, count, time_ms, elapsed) or 0
  return wait, (room - room % scale) / scale, reset, units, elapsed, ttl
end

return judge, charge, give
