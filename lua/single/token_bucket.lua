-- single/token_bucket: decides a single request of a continuous token bucket (token_bucket.lua), or of a leaky bucket as a
-- meter, in mode check.
--
-- KEYS   one, with a state of the short form (head.lua).
-- ARGV   count, time_ms, burst, cost: positive integers, cost <= burst <= 1.8 * 10^6; count and time_ms without a common
--        divisor. There is no wait.
-- Reply  one integer, in grains (1/time_ms units), from which the client computes the decision: if it is not negative,
--        the request passes and this room is left; if it is negative, the request is refused and this room is missing.
--        nil if this script cannot decide: it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key holds something other than a bucket; then nothing has been written.
local call, floor, key = redis.call, math.floor, KEYS[1]
local count, time_ms, burst, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
if not (count >= 1 and time_ms >= 1 and burst >= 1 and cost >= 1
  and count % 1 + time_ms % 1 + burst % 1 + cost % 1 == 0) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, units, tag, elapsed, level = time[1] * 1000 + floor(time[2] / 1000), 0, nil, 0, 0
if state then
  if #state > 18 and (#state > 19 or state > "92") or not string.find(state, "^[1-9]%d*$") then return nil end
  local number = state - 0
  local ahead = number % ERA
  local high = floor(number / ERA)
  if #state > 15 then high, ahead = string.sub(state, 1, -12) - 0, string.sub(state, -11) - 0 end -- above 2^53
  tag, elapsed = high % 50, 15000000000 - (ahead - now + 15000000000) % ERA
  units = floor(high / 50)
  level = units * time_ms - elapsed * count
  if level < 0 then level = 0 end
end
local room = (burst - cost) * time_ms - level
if room < 0 then return room end
local full, empty = burst * time_ms, level + cost * time_ms
local lives = 2 * (full + -full % count) / count + 1000
local exponent = floor(math.log(lives + 1) * 1.4426950408889634)
local grid, cell = 2 * exponent - 18, 2 ^ exponent / 8
if lives >= 12 * cell then grid, cell = grid + 1, 1.5 * cell end
local anchor, reset = now - elapsed, (empty + -empty % count) / count
local old_life = anchor - anchor % cell + 8 * cell - now
units = units + cost
if level > 0 and tag == grid and old_life >= reset then
  if units > 1800000 then return nil end
  call("INCRBY", key, cost == 1 and "5000000000000" or string.format("%.0f00000000000", cost * 50))
  return room
end
if level == 0 then
  units, anchor = cost, now
elseif elapsed > 0 then
  local periods = floor(elapsed / time_ms)
  units, anchor = units - periods * count, anchor + periods * time_ms
end
local life, text = anchor - anchor % cell + 8 * cell - now, string.format("%.0f%011.0f", units * 50 + grid, anchor % ERA)
if life < reset or units > 1800000 then return nil end
if tag == grid and old_life == life then
  call("SET", key, text, "KEEPTTL")
else
  call("SET", key, text, "PX", string.format("%.0f", life))
end
return room
