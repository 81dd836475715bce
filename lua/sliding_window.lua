-- sliding_window: cells of `time_ms`; the window counts the current cell, and of the one before it the share that the
-- window still covers.
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 2^25-1 units, time_ms 1 .. 366 days, burst = count, wait_ms 0 .. 366 days,
--          cost 0 .. 2^32-1 units. Rust checks that count * time_ms can be counted exactly.
-- State    string: previous * 2^26 + current, both below 2^26. TTL: until one time_ms after the end of the last cell, the one of
--          `current`; once that has ended, `current` is the previous one. The first cell starts with the first
--          charged call. Calls that wait fill later cells, in the order in which they came: the last one has not
--          begun while TTL > 2 time_ms.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: both cells keep their units, and the last one its end, until a call is charged; then a
--          cell that would end later than the new time_ms + wait_ms from now begins now.
local CELL = 67108864 -- 2^26

local function judge(key, cost, count, time_ms, _, wait_ms)
  local ttl, state = read(key)
  if not state then return FOREIGN, 0, 0 end
  if ttl == 0 then return cost > count and NEVER or 0, count, 0, 0, 0, 0 end
  local current = state % CELL
  local previous = (state - current) / CELL
  local ends, kept = ttl - time_ms, true
  if ends <= 0 then previous, current, ends, kept = current, 0, ttl, false end
  local begun = ends <= time_ms or ends > time_ms + wait_ms
  local room = count - current - ceil(previous * (ends < time_ms and ends or time_ms) / time_ms)
  local free = (begun or room < 0) and room or 0
  if cost > count then return NEVER, free, ttl, previous, current, ends, kept end
  local wait
  if current + cost <= count then
    local covers = previous > 0 and floor((count - current - cost) * time_ms / previous) or time_ms
    wait = covers < time_ms and ends - covers or begun and 0 or ends - time_ms
  else
    local covers = floor((count - cost) * time_ms / current)
    wait = ends + time_ms - (covers < time_ms and covers or time_ms)
  end
  return wait > 0 and wait or 0, free, ttl, previous, current, ends, kept
end

local function charge(key, cost, _, time_ms, _, wait_ms, wait, previous, current, ends, kept)
  if wait >= ends then -- none is alive, or the turn is in the next cell
    previous, current, ends, kept = current, 0, ends + time_ms, false
  elseif ends > time_ms + wait_ms then
    ends, kept = time_ms, false
  end
  if kept then
    if not add(key, cost) then return nil end
  else
    call("SET", key, digits[previous * CELL + current + cost], "PX", digits[ends + time_ms])
  end
  return ends + time_ms
end

-- Stamp: one time_ms after the end of the cell. The last cell gives back, and the one before it once the last has begun.
local function give(key, units, _, time_ms, _, _, stamp, now)
  local ttl, state = read(key)
  if not state or ttl == 0 then return 0 end
  local current, digit = state % CELL, 1
  if same(now + ttl - time_ms, stamp, time_ms) and ttl > time_ms and ttl <= 2 * time_ms then
    current, digit = (state - current) / CELL, CELL
  elseif not same(now + ttl, stamp, time_ms) then
    return 0
  end
  if units > current then units = current end
  return units > 0 and add(key, -units * digit) and units or 0
end

return judge, charge, give
