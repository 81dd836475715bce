-- counter: admits at most `count` units in a window.
--   counter                                                  the window starts with its first charged call, and lasts time_ms
--   counter_hour, counter_day, counter_week, counter_month   the window is the current hour, day, week or month
--
-- Idea     The first charge starts a window. Later charges increase its units and do not move its end. When the end has
--          passed, the next charge starts a new window.
-- State    units: the units in the last window, 0 .. 2^33. tag: always 0. time: the end of the last window, when the key is
--          collected. Calls that wait fill later windows in their order of arrival. While the end is more than time_ms
--          away, the last window has not begun.
-- Example  count = 5, time = 60 s. A call at 0 s stores 1 unit until 60 s, and four more calls raise the number to 5. A call
--          at 20 s is refused with retry_after = 40 s. At 60 s the window is over, and a call starts the next window.
--          With wait = 60 s, the call at 20 s is not refused: it stores 1 unit until 120 s and runs 40 s later, when
--          the window from 60 s to 120 s begins.
--          With counter_month, a call on 24 November at 11:00 UTC stores 1 unit until 1 December, 0:00 in the limit's zone.
--          If the first of five calls comes at 1763000000000 ms, the text of the state after the fifth call is
--          563000060000: 5 units, then 63000060000, the last 11 digits of the end.
-- Calendar The state is the same. The window starts with a charged call, and ends with the hour, day, week or month. Weeks
--          begin on Monday.
-- ARGV     count: at most 2^32-1 units; burst = count. For calendar windows, wait_ms is 0, and time_ms is the offset of the
--          zone from UTC in ms, plus one day.
-- Change   When the limit changes, the units and the end of the window stay until the next charge. If that charge finds the end
--          more than the new time_ms + wait_ms away, it moves the end to time_ms from now. For a calendar window, the end
--          moves only if it is after the next window of the calendar, and then becomes the end of the current window. After
--          the clock has stepped back over a boundary, the stored window is the next one: it keeps its units and its end.
-- Edges    Two windows can follow each other directly, so an interval of length `time` can admit up to 2 * count units.
local limit = ...
local count, time_ms, wait_ms, begun = limit.count, limit.time_ms, limit.wait_ms, limit.time_ms
limit.tags, limit.longest = 1, time_ms
if limit.name ~= "counter" then
  local DAY = 86400000
  local now, week = NOW + time_ms - DAY, 7 * DAY
  local lengths = { counter_hour = 3600000, counter_day = DAY, counter_week = week, counter_month = 31 * DAY }
  local length = lengths[limit.name]
  if not length then wrong("unknown algorithm") end
  limit.longest = length
  if limit.name == "counter_month" then
    -- Years begin in March here, so that the leap day is the last day of a year. The lengths of the other months then follow a
    -- pattern: five months have 153 days. `day` first counts from the start of an era of 400 years, then from the start of
    -- the year.
    local day = (floor(now / DAY) + 719468) % 146097
    local year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
    day = day - 365 * year - floor(year / 4) + floor(year / 100)
    local month, is_leap = floor((5 * day + 2) / 153), (year + 1) % 4 == 0 and ((year + 1) % 100 ~= 0 or year == 399)
    local ends = month < 11 and floor((153 * month + 155) / 5) or is_leap and 366 or 365
    time_ms = (ends - day) * DAY - now % DAY
  else
    time_ms = length - (limit.name == "counter_week" and now + 3 * DAY or now) % length -- 1970 began on a Thursday
  end
  begun = time_ms + length
end
-- A window whose end is at most `begun` ms away admits calls now.

function limit.judge(used, _, left, cost)
  if left <= 0 then
    if cost > count then return NEVER, count, 0 end
    return 0, count, cost > 0 and time_ms or 0, "starts"
  end
  local room = count - used
  if cost <= room and left <= begun then return 0, room, left, "grows" end
  local starts_in = left > begun and left <= begun + wait_ms and left - begun or 0
  local free = (starts_in == 0 or room < 0) and room or 0
  if cost > room then return cost > count and NEVER or left, free, left end
  return starts_in, free, starts_in == 0 and cost > 0 and time_ms or left
end

function limit.charge(used, _, left, cost, wait)
  if left <= wait then -- there is no window, or the turn begins when the last window ends
    return cost, 0, wait + time_ms, wait + time_ms, wait + time_ms
  elseif left > begun + wait_ms then
    return used + cost, 0, time_ms, time_ms, time_ms
  end
  return used + cost, 0, left, left
end

-- Only units of the last window can be given back. The stamp of a charge is the end of the window that the charge is in.
function limit.give(used, _, ends, most, left)
  if ends ~= left or ends <= 0 then return 0 end
  local given = most < used and most or used
  return given, used - given, 0, ends
end
