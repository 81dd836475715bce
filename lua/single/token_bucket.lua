-- single/token_bucket: decides a single request of a continuous token bucket, or of a leaky bucket as a meter, in mode
-- check. A short script for the common case.
--
-- The state is that of bucket.lua, which explains it.
-- KEYS   one.
-- ARGV   count, time_ms, burst, cost: decimal integers, 1 <= cost <= burst; count and time_ms without a common divisor.
--        There is no wait.
-- Reply  one integer, in grains (1/time_ms units), from which the client computes the decision: if it is not negative,
--        the request passes and this room is left; if it is negative, the request is refused and this room is missing.
-- Errors if ARGV is wrong, or the key holds something other than a bucket; then nothing has been written.
local call, ceil, floor, key = redis.call, math.ceil, math.floor, KEYS[1]
local count, time_ms, burst, cost = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if not string.find(count .. "," .. time_ms .. "," .. burst .. "," .. cost, "^%d+,%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
local ttl, level, units, elapsed = call("PTTL", key), 0, 0, 0
if ttl ~= -2 then
  local state = call("GET", key)
  units = state % 134217728
  local life_s = (state - units) / 134217728
  if units % 1 ~= 0 or life_s < 0 or life_s >= 67108864 then
    return redis.error_reply("ERR ratelimit: not a bucket")
  end
  elapsed = life_s * 1000 - ttl
  level = units * time_ms - elapsed * count
  if level <= 0 or ttl <= 0 then ttl, level, units, elapsed = 0, 0, 0, 0 end
end
local room = (burst - cost) * time_ms - level
if room < 0 then return room end
local reset, full = ceil((level + cost * time_ms) / count), ceil(burst * time_ms / count)
if reset <= ttl and ttl <= 2 * full + 1000 and units + cost < 134217728 then
  call("INCRBY", key, cost)
else
  local periods = elapsed > 0 and floor(elapsed / time_ms) or 0
  units, elapsed = units + cost - periods * count, elapsed - periods * time_ms
  local life_s = ceil((elapsed + reset + full) / 1000)
  if life_s > 67108863 then life_s = 67108863 end
  call("SET", key, string.format("%.0f", life_s * 134217728 + units), "PX", life_s * 1000 - elapsed)
end
return room
