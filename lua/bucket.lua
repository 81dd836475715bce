-- bucket: the state that token_bucket and leaky_bucket share: the level, which is the units that were charged and have
-- not leaked yet. (A token that comes back to a token bucket is a unit that leaks.)
--
-- Idea     Nothing runs on a timer. The key stores how many units were charged since a time called the anchor, and the
--          next call computes what has leaked since then. GCRA stores the time at which the bucket will be empty. That
--          time is seldom a whole millisecond (3 units per second), so rounding would add up; here both stored numbers
--          are whole, so every rate is exact.
-- State    string: life_s * 2^27 + units, with life_s below 2^26 and units below 2^27. The anchor is the time at which
--          the TTL was life_s seconds, and `units` were charged since, so the key's own TTL is the clock:
--            elapsed = life_s * 1000 - TTL,   level = units - what has leaked in `elapsed` ms
--          The level is computed in grains, of which a unit has `scale`, so that all numbers are integers:
--            continuously  a unit is time_ms grains, and `count` grains leak in each tick of 1 ms
--            by interval   a unit is 1 grain, and `count` grains leak in each tick of time_ms
--          Most charges are one INCRBY of the cost. If the TTL is too short for the new level, the charge moves the
--          anchor forward by whole periods, in which a whole number of units leaks, and sets a new life.
-- Leak     `count` per time_ms. Continuously: count and time_ms arrive divided by their greatest common divisor. By
--          interval: all `count` at the end of each time_ms, measured from the call that found the level at zero.
-- Example  count = 10, time = 1 s, burst = 10; the script receives count = 1, time_ms = 100, burst = 10.
--             0 ms  A call takes 4: level 400 grains, empty in 400 ms. SET units = 4, life_s = 2, TTL = 2000 ms.
--           200 ms  TTL 1800, elapsed 200: level 4 * 100 - 200 * 1 = 200 grains, which is 2 units. 8 are free.
--                   A call takes 8: INCRBY 8. The TTL is long enough and stays. 0 are free.
--           250 ms  Elapsed 250: level 12 * 100 - 250 = 950 of 1000 grains. A call that takes 1 needs 100 grains and
--                   finds 50: it is refused, with retry_after = 50 ms.
-- Change   of the limit: the units since the anchor stay, and what has leaked since is computed again at the new rate.
--          Units above a smaller capacity must leak first. At a far smaller rate this can take longer than 2^53 ms;
--          the reply then contains the longest time that it can represent.
-- Edges    TTLs are whole milliseconds, so a burst shorter than 1 ms of the rate cannot be used fully.
--          If the server's clock steps back, `elapsed` can be negative; the level is then higher by the step.
local UNITS = 134217728 -- 2^27
local LONGEST_LIFE_MS = 67108863000 -- (2^26 - 1) s, which is 776 days
local by_interval = ...

-- -> grains per unit, ms per tick. `count` grains leak in each tick.
local function scale_and_tick(time_ms)
  if by_interval then return 1, time_ms end
  return time_ms, 1
end

-- -> level in grains, units, elapsed, ttl. The level is nil if the key holds a foreign value.
local function read_level(key, count, time_ms)
  local ttl, state = read(key)
  if not state then return nil end
  local scale, tick = scale_and_tick(time_ms)
  local units = state % UNITS
  local elapsed = (state - units) / UNITS * 1000 - ttl
  local level = units * scale - (elapsed - elapsed % tick) / tick * count
  if level <= 0 then return 0, 0, 0, 0 end
  return level, units, elapsed, ttl
end

-- The time in ms until `grains` grains have leaked.
local function leak_time(grains, count, time_ms, elapsed)
  local tick = by_interval and time_ms or 1
  local ms = (grains + -grains % count) / count * tick - elapsed % tick
  return ms < FOREIGN and ms or FOREIGN - 1
end

local function charge(key, cost, count, time_ms, burst, wait_ms, _, units, elapsed, ttl)
  local scale, tick = scale_and_tick(time_ms)
  units = units + cost
  local reset = leak_time(units * scale - (elapsed - elapsed % tick) / tick * count, count, time_ms, elapsed)
  local full = leak_time(burst * scale, count, time_ms, 0)
  local longest = 2 * (full > wait_ms and full or wait_ms)
  if reset <= ttl and ttl <= longest + 1000 and units < UNITS then
    return add(key, cost) and reset or nil
  end
  local periods = elapsed > 0 and floor(elapsed / time_ms) or 0
  units, elapsed = units - periods * count, elapsed - periods * time_ms
  -- Only a level above two periods can take so long to leak. With the anchor one period in the future, it fits.
  if elapsed + reset > LONGEST_LIFE_MS then units, elapsed = units - count, elapsed - time_ms end
  local life = reset + full
  if life > longest then life = reset > longest and reset or longest end
  if elapsed + life > LONGEST_LIFE_MS then life = LONGEST_LIFE_MS - elapsed end
  local life_s = ceil((elapsed + life) / 1000)
  call("SET", key, digits[life_s * UNITS + units], "PX", digits[life_s * 1000 - elapsed])
  return reset
end

-- Stamp: the time at which the level would be zero after the charge. Units leak in the order in which they were
-- charged, so at most what leaks from now until the stamp is left of the charge. (By interval, the units of one charge
-- may leak in several steps, so this is only an upper bound.)
-- While calls wait for their turn, only the last charge is given back, because the other calls already know their turn.
-- `only_last` applies this rule always.
local function give(key, units, count, time_ms, burst, wait_ms, stamp, now, only_last)
  local level, charged, elapsed, ttl = read_level(key, count, time_ms)
  if not level or level == 0 then return 0 end
  local scale, tick = scale_and_tick(time_ms)
  local left, reset = stamp - now, leak_time(level, count, time_ms, elapsed)
  local is_last = left >= 0 and same(left, reset, by_interval and tick or 3)
  if is_last then left = reset end
  if left <= 0 or not is_last and (only_last or level > burst * scale) then return 0 end
  if by_interval then
    local steps = floor((left + elapsed % tick + (tick < 3 and tick - 1 or 2)) / tick)
    if units > steps * count then units = steps * count end
    if units <= 0 then return 0 end
  elseif left * count < units * scale and left < reset then
    if left >= ttl then return 0 end -- the key was written by another, faster limit
    call("PEXPIRE", key, ttl - left) -- a shorter TTL: as if `left` ms more had passed
    return ceil(left * count / scale)
  end
  if units * scale >= level then
    call("DEL", key)
    return ceil(level / scale)
  end
  -- After a step back of the clock, the level can be above the units that are stored.
  if units > charged then units = charged end
  return add(key, -units) and units or 0
end

return read_level, leak_time, charge, give
