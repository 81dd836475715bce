-- single/token_bucket: decides a single request of a continuous token bucket, or of a leaky bucket as a meter, in mode
-- check. A short script for the common case.
--
-- The state is that of bucket.lua, which explains it, and its text that of head.lua.
-- KEYS   one.
-- ARGV   count, time_ms, burst, cost: decimal integers, 1 <= cost <= burst; count and time_ms without a common divisor.
--        There is no wait.
-- Reply  one integer, in grains (1/time_ms units), from which the client computes the decision: if it is not negative,
--        the request passes and this room is left; if it is negative, the request is refused and this room is missing.
-- Errors if ARGV is wrong, or the key holds something other than a bucket; then nothing has been written.
local call, find, format, sub, ceil, floor = redis.call, string.find, string.format, string.sub, math.ceil, math.floor
local ERA, key = 100000000000, KEYS[1]
local count, time_ms, burst, cost = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if not find(count .. "," .. time_ms .. "," .. burst .. "," .. cost, "^%d+,%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
local state, time = call("GET", key), call("TIME")
local now, units, tag, elapsed, level = time[1] * 1000 + floor(time[2] / 1000), 0, 99, 0, 0
if state then
  if not find(state, "^[1-9]%d*$") then return redis.error_reply("ERR ratelimit: not a bucket") end
  if #state > 22 then
    units, tag, elapsed = sub(state, 1, -23) - 0, sub(state, -22, -15) - 0, now - sub(state, -14)
  else
    local number = state - 0
    local anchor, high = number % ERA, 0
    if number < 9007199254740992 then high = (number - anchor) / ERA else anchor, high = sub(state, -11) - 0, sub(state, 1, -12) - 0 end
    if #state > 19 then return redis.error_reply("ERR ratelimit: not a bucket") end
    tag, elapsed = high % 50, now % ERA - anchor
    units = (high - tag) / 50
    if elapsed < -85000000000 then elapsed = elapsed + ERA elseif elapsed > 15000000000 then elapsed = elapsed - ERA end
  end
  level = units * time_ms - elapsed * count
  if level < 0 then level = 0 end
end
local room = (burst - cost) * time_ms - level
if room < 0 then return room end
local reset, anchor = ceil((level + cost * time_ms) / count), now - elapsed
local mantissa, exponent = math.frexp((2 * ceil(burst * time_ms / count) + 1000) / 256)
local grid = 2 * exponent - (mantissa < 0.75 and 4 or 3)
local cell = 32 * (2 + grid % 2) * 2 ^ floor(grid / 2)
local old = floor(anchor / cell)
units = units + cost
local keeps = level > 0 and tag == grid and units < 134217728 and now + reset <= (old + 8) * cell
if keeps and #state < 20 and units < 1840000 then
  call("INCRBY", key, format("%.0f00000000000", cost * 50))
  return room
end
if level == 0 then
  units, anchor = cost + 0, now
elseif elapsed > 0 and not keeps then
  local periods = floor(elapsed / time_ms)
  units, anchor = units - periods * count, anchor + periods * time_ms
end
local index = floor(anchor / cell)
local life = (index + 8) * cell - now
keeps = tag == grid and index == old and life >= reset
if life < reset then
  life = now - anchor + reset < ERA and reset or ERA - (now - anchor)
  grid = now + life - anchor <= 10000000000 and 49 or 99
end
local text
if units < 1840000 and grid < 50 and anchor - now <= 10000000000 then
  text = format("%.0f%011.0f", units * 50 + grid, anchor % ERA)
else
  text = format("%.0f%08.0f%014.0f", units, grid, anchor)
end
if keeps then call("SET", key, text, "KEEPTTL") else call("SET", key, text, "PX", format("%.0f", life)) end
return room
