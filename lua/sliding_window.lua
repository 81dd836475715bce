-- sliding_window: admits about `count` units in any interval of `time_ms`, with the units of two cells as state.
--
-- Idea     Time is divided into cells of `time_ms`. The window that ends now covers the current cell so far, and the last
--          part of the cell before it. The window counts all units of the current cell. It also counts a share of the units
--          of the previous cell, rounded up: the share of that cell that the window covers. This assumes that the units of
--          the previous cell are evenly spread.
-- State    units: the units of the last cell, 0 .. 2^26-1. tag: the units of the cell before it, 0 .. 2^26-1; the short form
--          has room for up to 999. time: one time_ms after the end of the last cell, when the key is collected. After the
--          last cell has ended, it counts as the previous cell. The first cell starts with the first charged call. Calls that
--          wait fill later cells in their order of arrival. While the time of the state is more than 2 time_ms away, the last
--          cell has not begun.
-- Example  count = 10, time = 60 s. Calls take 8 units in the cell from 0 s to 60 s. At 75 s the window covers 45 s of
--          that cell. It counts 8 * 45 / 60 = 6 units, so 4 units are free. A call takes 4: the state is 4 units, tag 8,
--          time 180 s. A call with cost 1 is refused with retry_after = 7500 ms. At 82.5 s the window covers 37.5 s of the
--          first cell, which count as 5 units, and 5 + 4 + 1 = 10.
-- ARGV     count: at most 2^25-1 units; burst = count. Rust checks that count * time_ms is exact.
-- Change   When the limit changes, the units of both cells and the time of the state stay until a call is charged. If the end
--          of the last cell is then more than the new time_ms + wait_ms away, the cell is moved so that it begins now.
-- Edges    If the calls of the previous cell came near its end, an interval can admit nearly 2 * count units.
local limit = ...
local count, time_ms, wait_ms = limit.count, limit.time_ms, limit.wait_ms
limit.tags, limit.longest = 1000, 2 * time_ms

function limit.judge(units, tag, ahead, cost)
  if ahead <= 0 then
    if cost > count then return NEVER, count, 0 end
    return 0, count, cost > 0 and 2 * time_ms or 0, "starts"
  end
  local previous, current, ends_in = tag, units, ahead - time_ms
  if ends_in <= 0 then previous, current, ends_in = units, 0, ahead end
  local seen = previous * (ends_in < time_ms and ends_in or time_ms)
  local room = count - current - (seen + -seen % time_ms) / time_ms
  if cost <= room and ahead > time_ms and ends_in <= time_ms then return 0, room, ahead, "grows" end
  local begun = ends_in <= time_ms or ends_in > time_ms + wait_ms
  local free = (begun or room < 0) and room or 0
  if cost <= room and begun then
    return 0, free, cost == 0 and ahead or ahead > time_ms and 2 * time_ms or ends_in + time_ms
  end
  if cost > count then return NEVER, free, ahead end
  -- covered: the cost fits when the window covers at most this many ms of the older cell.
  local wait
  if current + cost <= count then
    local covered = previous > 0 and floor((count - current - cost) * time_ms / previous) or time_ms
    wait = covered < time_ms and ends_in - covered or begun and 0 or ends_in - time_ms
  else
    local covered = floor((count - cost) * time_ms / current)
    wait = ends_in + time_ms - (covered < time_ms and covered or time_ms)
  end
  return wait > 0 and wait or 0, free, ahead
end

function limit.charge(units, tag, ahead, cost, wait)
  local previous, current, ends_in = tag, units, ahead - time_ms
  if ends_in <= 0 then previous, current, ends_in = units, 0, ahead > 0 and ahead or 0 end
  if wait >= ends_in then -- there is no cell, or the turn is in the next cell
    previous, current, ends_in = current, 0, ends_in + time_ms
  elseif ends_in > time_ms + wait_ms then
    ends_in = time_ms
  end
  local reset = ends_in + time_ms
  return current + cost, previous, reset, reset, reset ~= ahead and reset or nil
end

-- The stamp of a charge is the time of the state after it. Units of the last cell can be given back. Units of the cell before
-- it can be given back only while the last cell is the current cell.
function limit.give(current, previous, ahead, most, left)
  if ahead > 0 and ahead == left then
    local given = most < current and most or current
    return given, current - given, previous, ahead
  elseif ahead - time_ms == left and ahead > time_ms and ahead <= 2 * time_ms then
    local given = most < previous and most or previous
    return given, current, previous - given, ahead
  end
  return 0
end
