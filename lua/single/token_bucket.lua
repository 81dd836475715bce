-- single/token_bucket: decides a single request of a continuous token bucket, or of a leaky bucket as a meter, in mode
-- check. A short script for the common case.
--
-- The state is that of token_bucket.lua, which explains it, as text of the short form (head.lua).
-- KEYS   one.
-- ARGV   count, time_ms, burst, cost: decimal integers, 1 <= cost <= burst <= 1.8 * 10^6; count and time_ms without a
--        common divisor. There is no wait.
-- Reply  one integer, in grains (1/time_ms units), from which the client computes the decision: if it is not negative,
--        the request passes and this room is left; if it is negative, the request is refused and this room is missing.
--        nil if this script cannot decide: it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key holds something other than a bucket; then nothing has been written.
local call, find, format, sub, ceil, floor = redis.call, string.find, string.format, string.sub, math.ceil, math.floor
local key, count, time_ms, burst, cost = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if not find(count .. "," .. time_ms .. "," .. burst .. "," .. cost, "^%d+,%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, units, tag, elapsed, level = time[1] * 1000 + floor(time[2] / 1000), 0, nil, 0, 0
if state then
  if #state < 12 or #state > 19 or #state == 19 and state > "92" or not find(state, "^[1-9]%d*$") then return nil end
  local ahead = state % ERA
  local high = (state - ahead) / ERA
  if #state > 15 then high, ahead = sub(state, 1, -12) - 0, sub(state, -11) - 0 end -- above 2^53
  tag, elapsed = high % 50, now % ERA - ahead
  units = (high - tag) / 50
  if elapsed < -85000000000 then elapsed = elapsed + ERA elseif elapsed > 15000000000 then elapsed = elapsed - ERA end
  level = units * time_ms - elapsed * count
  if level < 0 then level = 0 end
end
local room = (burst - cost) * time_ms - level
if room < 0 then return room end
local mantissa, exponent = math.frexp((2 * ceil(burst * time_ms / count) + 1000) / 256)
local grid = 2 * exponent - (mantissa < 0.75 and 4 or 3)
local cell = 32 * (2 + grid % 2) * 2 ^ floor(grid / 2)
local function life_of(anchor)
  return anchor - anchor % cell + 8 * cell - now
end
local anchor, old, reset = now - elapsed, now - elapsed, ceil((level + cost * time_ms) / count)
units = units + cost
if level > 0 and tag == grid and life_of(anchor) >= reset then
  if units > 1800000 then return nil end
  call("INCRBY", key, format("%.0f00000000000", cost * 50))
  return room
end
if level == 0 then
  units, anchor = cost + 0, now
elseif elapsed > 0 then
  local periods = floor(elapsed / time_ms)
  units, anchor = units - periods * count, anchor + periods * time_ms
end
local life, text = life_of(anchor), format("%.0f%011.0f", units * 50 + grid, anchor % ERA)
if life < reset or units > 1800000 then return nil end
if tag == grid and life_of(old) == life then
  call("SET", key, text, "KEEPTTL")
else
  call("SET", key, text, "PX", format("%.0f", life))
end
return room
