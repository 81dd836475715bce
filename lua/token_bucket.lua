-- token_bucket: admits bursts of up to `burst` tokens, and `count` tokens per `time_ms` in the long run.
--   token_bucket           tokens come back continuously
--   token_bucket_interval  `count` tokens come back together at the end of each time_ms, which is counted from the call that
--                          found the bucket full
--
-- Idea     The level is the number of tokens that were taken and have not come back. Taken tokens are like units that leak
--          from a bucket, so a leaky bucket has the same state. A call passes if the sum of the level and its cost is at most
--          `burst`. The state is the number of units that were charged since a time called the anchor. The next call computes
--          how many units have leaked since the anchor. (GCRA instead stores the time at which nothing will be in use.
--          This time is seldom a whole millisecond, for example at 3 units per second, so rounding errors would add up.)
--          Both stored numbers are whole, so every rate is exact. The level is computed in grains, so that all numbers are
--          integers. A unit has `scale` grains:
--            continuously  a unit is time_ms grains, and `count` grains leak in each tick of 1 ms
--            by interval   a unit is 1 grain, and `count` grains leak in each tick of time_ms
--          Most charges only increase the units. A charge that finds nothing in use sets the anchor to the current time.
-- State    units: the units that were charged since the anchor, 0 .. 2^27-1. The short form has room for 2.7 million units.
--          tag: the key is collected 2^tag ms after the anchor. If the tag is 0 or 99, the key is collected when nothing
--          is in use. 99 means that this is more than 115 days after the anchor. time: the anchor. A level above `burst` is debt:
--          of calls that wait for their turn, and of units that were taken without a check.
-- Life     The TTL is set with the anchor, so that other charges need not set it. 2^tag is the largest power of two up to
--          2 * period + 1 s, and so longer than one period. The period is the time in which a used-up bucket refills, or
--          wait_ms if that is longer. If units would be in use for longer than 2^tag ms, the charge first moves the anchor
--          forward by a multiple of time_ms. A whole number of units leaks in each time_ms. If moving the anchor is not
--          enough, the tag is 0 or 99.
-- Example  count = 10, time = 1 s, burst = 10. The script receives count = 1, time_ms = 100, burst = 10. The period is
--          1 s, so the key lives 2048 ms, the largest power of two up to 3 s: tag 11.
--             0 ms  A call takes 4 units: the level is 400 grains, and nothing will be in use in 400 ms. The state is
--                   4 units, tag 11, anchor 0.
--           200 ms  The level is 4 * 100 - 200 * 1 = 200 grains, or 2 units, so 8 units are free. A call takes 8: the state
--                   is 12 units, and nothing will be in use at 1200 ms. The key still lives until 2048 ms.
--           250 ms  The level is 12 * 100 - 250 = 950 of 1000 grains. A call with cost 1 needs 100 grains and finds 50: it
--                   is refused, with retry_after = 50 ms. With wait = 100 ms it passes and runs 50 ms later.
--          By interval, the first tokens come back at 1000 ms. All taken tokens come back then, because `count` is 10.
-- ARGV     count: at most 2^25 tokens. If tokens come back continuously, count and time_ms are divided by their greatest
--          common divisor. burst: at most 2^25, the most tokens that can be taken at once, including tokens that can be
--          borrowed. Rust checks that all products are exact.
-- Change   When the limit changes, the units since the anchor stay. The units that have leaked since the anchor are computed
--          at the new rate. If the new capacity is smaller, the units above it must leak first. At a far smaller rate this
--          can take longer than 2^53 ms; the reply then contains the longest time that it can represent.
-- Edges    Times are whole milliseconds. If more than `burst` tokens come back in 1 ms, the rate cannot be used fully. A
--          cost above `burst` never passes. If the server's clock steps back, the level is higher by the units that leak in
--          the length of the step.
local limit = ...
local count, time_ms, burst, wait_ms = limit.count, limit.time_ms, limit.burst, limit.wait_ms
local by_interval, only_last = limit.name == "token_bucket_interval", limit.name == "leaky_bucket_queue"
local scale, tick = by_interval and 1 or time_ms, by_interval and time_ms or 1
local capacity, UNITS, LONGEST_LIFE_MS = burst * scale, 134217728, 100000000000 -- 2^27 units, 1157 days

-- Returns the level in grains, and the ms since the last tick. Both are 0 if nothing is in use.
local function level_of(units, ahead)
  local phase = -ahead % tick
  local level = units * scale + (ahead + phase) / tick * count
  if level > 0 then return level, phase end
  return 0, 0
end

-- Returns the time in ms until `grains` grains have leaked. `phase` is the time in ms since the last tick.
local function leak_time(grains, phase)
  local ms = ceil(grains / count) * tick - phase
  return ms < FOREIGN and ms or FOREIGN - 1
end

local period = leak_time(capacity, 0)
local lives = 2 * (period > wait_ms and period or wait_ms) + 1000
local own_tag = floor(math.log(lives + 1) * 1.4426950408889634) -- exact: the number is odd, so not close to 2^n
local own_life = 2 ^ own_tag
limit.tags, limit.longest, limit.level_of, limit.leak_time = 34, period, level_of, leak_time
limit.shares = not by_interval and not only_last -- whether callers can share the bucket (fair.lua)

-- This function decides most calls, so it has few steps and calls few other functions.
function limit.judge(units, tag, ahead, cost)
  local scale, count, phase, needs, level = scale, count, 0, cost * scale, nil
  if tick > 1 then
    phase = -ahead % tick
    level = units * scale + (ahead + phase) / tick * count
  else
    level = units * scale + ahead * count
    if level > 0 and tag == own_tag then -- most calls
      local room, filled = capacity - level, level + needs
      local reset = (filled + -filled % count) / count
      if needs <= room and reset <= ahead + own_life then return 0, (room - room % scale) / scale, reset, "grows" end
    end
  end
  if level <= 0 then
    if cost > burst then return NEVER, burst, 0 end
    local reset = (needs + -needs % count) / count * tick
    if reset >= FOREIGN then return 0, burst, FOREIGN - 1 end
    return 0, burst, reset, "starts"
  end
  local room, after = capacity - level, level + needs
  local free = (room - room % scale) / scale
  if needs > room then
    return cost > burst and NEVER or leak_time(needs - room, phase), free, leak_time(level, phase)
  end
  local reset = (after + -after % count) / count * tick - phase
  if tag == own_tag and reset <= ahead + own_life then return 0, free, reset, "grows" end
  return 0, free, reset < FOREIGN and reset or FOREIGN - 1
end

-- Returns the state of a bucket whose anchor is in `ahead` ms, then reset and ttl.
local function anchored(units, ahead, reset)
  local ttl = ahead + own_life
  if ttl >= reset then return units, own_tag, ahead, reset, ttl end
  ttl = ahead + LONGEST_LIFE_MS
  if ttl > reset then ttl = reset end
  return units, ttl - ahead <= NEAR and 0 or 99, ahead, reset, ttl
end
limit.anchored = anchored

function limit.charge(units, tag, ahead, cost)
  local level, phase = level_of(units, ahead)
  local reset = leak_time(level + cost * scale, phase)
  if level == 0 then return anchored(cost, 0, reset) end
  units = units + cost
  if tag == own_tag and units < UNITS and reset <= ahead + own_life then return units, tag, ahead, reset end
  local periods = ahead < 0 and floor(-ahead / time_ms) or 0
  return anchored(units - periods * count, ahead + periods * time_ms, reset)
end

-- The stamp of a charge is the time at which nothing will be in use if no other charge follows. Units leak in the order in
-- which they were charged. So of a charge, at most the units that leak from now until its stamp are still in use. (By interval,
-- the units of one charge may leak in several steps, so this is only an upper bound.) While calls wait for their turn, only the
-- last charge can be given back, because all other waiting calls already know their turn. With `only_last`, this rule always
-- applies.
function limit.give(units, tag, ahead, most, left)
  local level, phase = level_of(units, ahead)
  if level == 0 then return 0 end
  local reset = leak_time(level, phase)
  if left <= 0 or left ~= reset and (only_last or level > capacity) then return 0 end
  if by_interval then
    local leaks = floor((left + phase) / tick) * count
    if most > leaks then most = leaks end
  elseif left * count < most * scale and left < reset then -- the level that remains after `left` more ms
    local given, _, ttl = ceil(left * count / scale), nil, nil
    units, tag, ahead, _, ttl = anchored(units, ahead - left, reset - left)
    return given, units, tag, ahead, ttl
  end
  if most * scale >= level then return ceil(level / scale) end
  -- After the clock has stepped back, the level can be above the stored units.
  if most > units then most = units end
  return most, units - most, tag, ahead
end
