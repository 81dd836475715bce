-- counter: admits at most `count` units in a window of `time_ms`, which starts with its first charged call.
--
-- Idea     The first charge starts a window; later charges increase its units and leave its end alone. When the end has
--          passed, the next charge starts a new window.
-- State    units: of the last window, 0 .. 2^33. tag: none. time: the end of that window. The key is collected then.
--          Calls that wait fill later windows in their order of arrival; while the end is more than time_ms away, the
--          last window has not begun.
-- Example  count = 5, time = 60 s. A call at 0 s stores 1 unit until 60 s, and four more calls raise it to 5. A call at
--          20 s is refused with retry_after = 40 s. At 60 s the window is over, and a call starts the next one.
--          With wait = 60 s, the call at 20 s is not refused: it stores 1 unit until 120 s and runs 40 s later, when
--          the window from 60 s to 120 s begins.
--          The text of the state of the fifth call at 1763000000000 ms is 5, then 63000060000.
-- ARGV     count: at most 2^32-1 units; burst = count.
-- Change   of the limit: the units and the end of the window stay until a call is charged. If the window would then
--          end later than the new time_ms + wait_ms from now, it is shortened to time_ms.
-- Edges    Two windows can touch, so an interval of length `time` can admit up to 2 * count units.
local limit = ...
local count, time_ms, wait_ms = limit.count, limit.time_ms, limit.wait_ms
limit.tags, limit.longest = 1, time_ms

function limit.judge(used, _, left, cost)
  if left <= 0 then
    if cost > count then return NEVER, count, 0 end
    return 0, count, cost > 0 and time_ms or 0, "starts"
  end
  local room = count - used
  if cost <= room and left <= time_ms then return 0, room, left, "grows" end
  local starts_in = left > time_ms and left <= time_ms + wait_ms and left - time_ms or 0
  local free = (starts_in == 0 or room < 0) and room or 0
  if cost > room then return cost > count and NEVER or left, free, left end
  return starts_in, free, starts_in == 0 and cost > 0 and time_ms or left
end

function limit.charge(used, _, left, cost, wait)
  if left <= wait then -- there is no window, or the turn begins when the last window ends
    return cost, 0, wait + time_ms, wait + time_ms, wait + time_ms
  elseif left > time_ms + wait_ms then
    return used + cost, 0, time_ms, time_ms, time_ms
  end
  return used + cost, 0, left, left
end

-- Stamp: the end of the window. Only the last window gives units back.
function limit.give(used, _, ends, most, left)
  if ends ~= left or ends <= 0 then return 0 end
  local given = most < used and most or used
  return given, used - given, 0, ends
end
