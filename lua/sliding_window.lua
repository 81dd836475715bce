-- sliding_window: admits about `count` units in any interval of `time_ms`, with one integer of state.
--
-- Idea     Time is divided into cells of `time_ms`. The window that ends now covers the current cell and the last part
--          of the cell before it. The window counts all units of the current cell, and of the previous cell the share
--          that it covers, rounded up, as if the units there were evenly spread.
-- State    string: previous * 2^26 + current, both below 2^26. TTL: the time until one time_ms after the end of the last
--          cell, which is the cell of `current`. After that cell has ended, `current` counts as the previous cell. The
--          first cell starts with the first charged call. Calls that wait fill later cells in their order of arrival;
--          while TTL > 2 time_ms, the last cell has not begun.
-- Example  count = 10, time = 60 s. Calls take 8 units in the cell from 0 s to 60 s. At 75 s the window covers 45 s of
--          that cell: it counts 8 * 45 / 60 = 6 units, and 4 are free. A call takes 4: the state is 8 and 4, with a TTL
--          of 105 s. A call that takes 1 is refused with retry_after = 7500 ms: at 82.5 s the window covers 37.5 s of
--          the first cell, which count as 5, and 5 + 4 + 1 = 10.
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25-1 units, time_ms 1 .. 366 days, burst = count, wait_ms 0 .. 366 days,
--          cost 0 .. 2^32-1 units. Rust checks that count * time_ms is exact.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: both cells keep their units, and the last cell its end, until a call is charged. If the last
--          cell would then end later than the new time_ms + wait_ms from now, it begins now instead.
-- Edges    If the calls of the previous cell came late in it, an interval can admit nearly 2 * count units.
local CELL = 67108864 -- 2^26

-- ends_in: the time in ms until the last cell ends. stored: whether that cell is the stored one, so that INCRBY can
-- charge it; otherwise a charge has to write the cells again.
local function judge(key, cost, count, time_ms, _, wait_ms)
  local ttl, state = read(key)
  if not state then return FOREIGN, 0, 0 end
  if ttl == 0 then return cost > count and NEVER or 0, count, 0, 0, 0, 0 end
  local current = state % CELL
  local previous = (state - current) / CELL
  local ends_in, stored = ttl - time_ms, true
  if ends_in <= 0 then previous, current, ends_in, stored = current, 0, ttl, false end
  local begun = ends_in <= time_ms or ends_in > time_ms + wait_ms
  local room = count - current - ceil(previous * (ends_in < time_ms and ends_in or time_ms) / time_ms)
  local free = (begun or room < 0) and room or 0
  if cost > count then return NEVER, free, ttl, previous, current, ends_in, stored end
  -- covered: how many ms of the older cell the window may cover, so that the cost fits.
  local wait
  if current + cost <= count then
    local covered = previous > 0 and floor((count - current - cost) * time_ms / previous) or time_ms
    wait = covered < time_ms and ends_in - covered or begun and 0 or ends_in - time_ms
  else
    local covered = floor((count - cost) * time_ms / current)
    wait = ends_in + time_ms - (covered < time_ms and covered or time_ms)
  end
  return wait > 0 and wait or 0, free, ttl, previous, current, ends_in, stored
end

local function charge(key, cost, _, time_ms, _, wait_ms, wait, previous, current, ends_in, stored)
  if wait >= ends_in then -- there is no cell, or the turn is in the next cell
    previous, current, ends_in, stored = current, 0, ends_in + time_ms, false
  elseif ends_in > time_ms + wait_ms then
    ends_in, stored = time_ms, false
  end
  if stored then
    if not add(key, cost) then return nil end
  else
    call("SET", key, digits[previous * CELL + current + cost], "PX", digits[ends_in + time_ms])
  end
  return ends_in + time_ms
end

-- Stamp: one time_ms after the end of the charge's cell. The last cell gives units back, and so does the cell before it
-- once the last one has begun.
local function give(key, units, _, time_ms, _, _, stamp, now)
  local ttl, state = read(key)
  if not state or ttl == 0 then return 0 end
  local in_cell, factor = state % CELL, 1
  if same(now + ttl - time_ms, stamp, time_ms) and ttl > time_ms and ttl <= 2 * time_ms then
    in_cell, factor = (state - in_cell) / CELL, CELL
  elseif not same(now + ttl, stamp, time_ms) then
    return 0
  end
  if units > in_cell then units = in_cell end
  return units > 0 and add(key, -units * factor) and units or 0
end

return judge, charge, give
