-- token_bucket: a bucket of `burst` tokens that gets `count` tokens per `time_ms`.
--   token_bucket           continuously
--   token_bucket_interval  all `count` at the end of each time_ms, counted from the call that found it full
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25 tokens, time_ms 1 .. 366 days, burst: all that can be taken at once, what can
--          be borrowed included, 0 .. 2^25 tokens, wait_ms 0 .. 366 days, cost 0 .. 2^32-1 tokens. Rust checks that
--          they can be counted exactly.
-- State    the level of bucket.lua: tokens that were taken and have not come back. Above `burst` it is debt: calls
--          that wait for their turn.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   as in bucket.lua.
local interval = ... == "token_bucket_interval"
local open, drained, charge, give = modules.bucket(interval)

local function judge(key, cost, count, time_ms, burst)
  local level, units, elapsed, ttl = open(key, count, time_ms)
  if not level then return FOREIGN, 0, 0 end
  local scale = interval and 1 or time_ms
  local room = burst * scale - level
  local wait = 0
  if cost > burst then
    wait = NEVER
  elseif cost * scale > room then
    wait = drained(cost * scale - room, count, time_ms, elapsed)
  end
  local reset = level > 0 and drained(level, count, time_ms, elapsed) or 0
  return wait, (room - room % scale) / scale, reset, units, elapsed, ttl
end

return judge, charge, give
