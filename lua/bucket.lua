-- bucket: the level that token_bucket and leaky_bucket share: units that were charged and have not leaked yet.
--
-- State    string: life_s * 2^27 + units, with life_s below 2^26 and units below 2^27. Anchor: the moment at which the
--          TTL was life_s seconds. `units` were charged since, so that the key's own TTL is the clock:
--            elapsed_ms = life_s * 1000 - TTL,   level = units - what has leaked in elapsed_ms
--          Integers only, in 1/scale units: exact for every rate, no remainder to carry. The usual charge is
--          an INCRBY; the anchor moves by whole periods, or when the bucket has been empty.
-- Leak     `count` per time_ms: continuously (count and time_ms come divided by their greatest common divisor), or
--          all `count` at the end of each time_ms, counted from the call that found the level at zero.
-- Change   of the limit: the units since the anchor stay, and what has leaked since is counted anew at the new
--          rate; what stands above a smaller capacity has to leak first. At a far smaller rate that may take longer
--          than 2^53 ms can say: then the longest time that an answer can name is named.
local UNITS = 134217728 -- 2^27
local LONGEST_MS = 67108863000 -- the longest life, 776 days: less than 2^26 s
local interval = ...

-- A period leaks `count` units, each of `scale` grains, in ticks of `tick` ms.
local function grain(time_ms)
  if interval then return 1, time_ms end
  return time_ms, 1
end

-- -> level in grains, units, elapsed, ttl; level nil where the key holds something foreign.
local function open(key, count, time_ms)
  local ttl, state = read(key)
  if not state then return nil end
  local scale, tick = grain(time_ms)
  local units = state % UNITS
  local elapsed = (state - units) / UNITS * 1000 - ttl
  local level = units * scale - (elapsed - elapsed % tick) / tick * count
  if level <= 0 then return 0, 0, 0, 0 end
  return level, units, elapsed, ttl
end

-- Until so many grains have leaked, in ms.
local function drained(grains, count, time_ms, elapsed)
  local tick = interval and time_ms or 1
  local ms = (grains + -grains % count) / count * tick - elapsed % tick
  return ms < FOREIGN and ms or FOREIGN - 1
end

local function charge(key, cost, count, time_ms, burst, wait_ms, _, units, elapsed, ttl)
  local scale, tick = grain(time_ms)
  units = units + cost
  local reset = drained(units * scale - (elapsed - elapsed % tick) / tick * count, count, time_ms, elapsed)
  local full = drained(burst * scale, count, time_ms, 0)
  local longest = 2 * (full > wait_ms and full or wait_ms)
  if reset <= ttl and ttl <= longest + 1000 and units < UNITS then
    return add(key, cost) and reset or nil
  end
  local periods = elapsed > 0 and floor(elapsed / time_ms) or 0
  units, elapsed = units - periods * count, elapsed - periods * time_ms
  -- Only a level above two periods can take that long to leak: moved one period into the future, the anchor keeps it.
  if elapsed + reset > LONGEST_MS then units, elapsed = units - count, elapsed - time_ms end
  local lives = reset + full
  if lives > longest then lives = reset > longest and reset or longest end
  if elapsed + lives > LONGEST_MS then lives = LONGEST_MS - elapsed end
  local life_s = ceil((elapsed + lives) / 1000)
  call("SET", key, digits[life_s * UNITS + units], "PX", digits[life_s * 1000 - elapsed])
  return reset
end

-- Stamp: the moment at which the level would be zero after the charge. What was charged first leaks first, so that
-- at most what leaks from now until the stamp is still there of it (by interval, where units of one charge may leak in
-- several steps, no more than that is known). Nothing is given back before turns that others
-- have been told: while somebody waits, only the last charge is.
local function give(key, units, count, time_ms, burst, wait_ms, stamp, now, strictly)
  local level, held, elapsed, ttl = open(key, count, time_ms)
  if not level or level == 0 then return 0 end
  local scale, tick = grain(time_ms)
  local left, reset = stamp - now, drained(level, count, time_ms, elapsed)
  local last = left >= 0 and same(left, reset, interval and tick or 3)
  if last then left = reset end
  if left <= 0 or not last and (strictly or level > burst * scale) then return 0 end
  if interval then
    local steps = floor((left + elapsed % tick + (tick < 3 and tick - 1 or 2)) / tick)
    if units > steps * count then units = steps * count end
    if units <= 0 then return 0 end
  elseif left * count < units * scale and left < reset then
    if left >= ttl then return 0 end -- the key lives by another, faster limit
    call("PEXPIRE", key, ttl - left) -- as if that time had passed
    return ceil(left * count / scale)
  end
  if units * scale >= level then
    call("DEL", key)
    return ceil(level / scale)
  end
  -- A clock that has stepped back raises the level above the units that are there.
  if units > held then units = held end
  return add(key, -units) and units or 0
end

return open, drained, charge, give
