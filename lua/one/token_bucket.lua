-- one/token_bucket: token_bucket.lua and leaky_bucket.lua, continuous and as a meter, for one request of mode check,
-- in a script of its own on the same state (bucket.lua).
--
-- KEYS   one.
-- ARGV   count, time_ms, burst, cost: decimal integers, 1 <= cost <= burst; count and time_ms without a common divisor.
--        Without a wait.
-- Reply  one integer, from which all else follows: the room that is left, in 1/time_ms units; below zero, where it is
--        refused, what is wanting.
-- Errors What is wrong with ARGV, and whatever is found that is no state of a bucket; nothing has been written then.
local call, ceil, floor, key = redis.call, math.ceil, math.floor, KEYS[1]
local count, time_ms, burst, cost = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if not string.find(count .. "," .. time_ms .. "," .. burst .. "," .. cost, "^%d+,%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected integers")
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
