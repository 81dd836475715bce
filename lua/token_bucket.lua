-- token_bucket: a bucket of `burst` tokens that gets `count` tokens per `time_ms`.
--   token_bucket           continuously; count and time_ms come divided by their greatest common divisor
--   token_bucket_interval  all `count` at the end of each time_ms, counted from the call that found it full
--
-- KEYS     one per request.
-- ARGV     of a run: count and burst 0 .. 2^26 tokens, time_ms 1 .. 366 days, cost 0 .. 2^32-1 tokens;
--          time to refill fully at most 366 days; (3 burst + count) * time_ms below 2^53 when continuous.
-- State    string: life_s * 2^27 + units. Anchor: the moment at which the TTL was life_s seconds. `units` were
--          charged since, so that the key's own TTL is the clock:
--            elapsed_ms = life_s * 1000 - TTL,   level = units - what has come back in elapsed_ms
--          Integers only, in 1/scale tokens: exact for every rate, no remainder to carry. The usual charge is
--          an INCRBY; the anchor moves by whole periods, or when the bucket has been full.
-- Reply    wait_ms, remaining, reset_after_ms (head.lua).
-- Change   of the limit: the units since the anchor stay, and what has come back since is counted anew at the
--          new rate; what stands above a smaller burst has to come back first.
local UNITS = 134217728 -- 2^27
local interval = ... == "token_bucket_interval"

-- A period gives back `count` tokens in `scale` ticks of `tick` ms.
local function grain(time_ms)
  if interval then return 1, time_ms end
  return time_ms, 1
end

-- Until so much of the level has come back, in ms.
local function drained(level, count, tick, elapsed)
  return ceil(level / count) * tick - elapsed % tick
end

local function judge(key, cost, count, time_ms, burst)
  local ttl, state = read(key)
  if not state then return FOREIGN, 0, 0 end
  local scale, tick = grain(time_ms)
  local units = state % UNITS
  local elapsed = (state - units) / UNITS * 1000 - ttl
  local level = units * scale - floor(elapsed / tick) * count
  if level <= 0 then level, units, elapsed, ttl = 0, 0, 0, 0 end
  local room = burst * scale - level
  local wait = 0
  if cost > burst then
    wait = NEVER
  elseif cost * scale > room then
    wait = drained(cost * scale - room, count, tick, elapsed)
  end
  local reset = level > 0 and drained(level, count, tick, elapsed) or 0
  return wait, room > 0 and floor(room / scale) or 0, reset, units, elapsed, ttl
end

local function charge(key, cost, count, time_ms, burst, units, elapsed, ttl)
  local scale, tick = grain(time_ms)
  units = units + cost
  local reset = drained(units * scale - floor(elapsed / tick) * count, count, tick, elapsed)
  local full = drained(burst * scale, count, tick, 0)
  if reset <= ttl and ttl <= 2 * full + 1000 and units < UNITS then
    call("INCRBY", key, cost)
  else
    local periods = elapsed > 0 and floor(elapsed / time_ms) or 0
    units, elapsed = units - periods * count, elapsed - periods * time_ms
    local life_s = ceil((elapsed + reset + full) / 1000)
    call("SET", key, string.format("%.0f", life_s * UNITS + units), "PX", life_s * 1000 - elapsed)
  end
  return reset
end

return judge, charge
