-- sliding_log: admits at most `count` units in any interval of `time_ms`, exactly.
--
-- Idea     The key stores the time of each admitted unit. A unit counts for time_ms. A call passes if the sum of its cost and
--          the units that still count is at most `count`. The charge removes the entries that no longer count.
-- State    list, one entry per unit, oldest first: the time of the unit's turn, in microseconds of the server's clock.
--          TTL: the time until the newest entry stops counting, plus a second, because the server's clock for TTLs may be
--          late.
-- Example  count = 3, time = 1 s, and calls at 0 ms, 400 ms and 700 ms. At 900 ms all three count: a call is refused
--          with retry_after = 100 ms. At 1000 ms the first entry no longer counts: a call passes and replaces the entry.
--          With wait = 500 ms, the call at 900 ms stores an entry for 1000 ms and runs then.
-- ARGV     count: at most 10 000 units; burst = count.
-- Change   When the limit changes, the entries stay. A longer time_ms lets more of the entries count, a shorter one fewer.
-- Edges    Memory grows with `count`. If the clock steps back, new entries get the time of the newest entry, so that the
--          list stays in order.
local limit = ...
local count, window = limit.count, limit.time_ms * 1000
local now = NOW_US
limit.longest = limit.time_ms
local SPARE_MS = 1000

local function entry(key, index)
  return to_number(call("LINDEX", key, index)) or 0
end

-- Returns the number of entries at or before `time`, by binary search.
local function entries_until(key, length, time)
  local low, high = 0, length
  while low < high do
    local middle = floor((low + high) / 2)
    if entry(key, middle) <= time then low = middle + 1 else high = middle end
  end
  return low
end

-- Reads the log of a key. newest: the time of the newest entry; 0 if no entry still counts.
function limit.read(key)
  local length = try_call("LLEN", key)
  if type(length) ~= "number" then return nil end
  local log = { key = key, length = length, expired = 0, newest = 0 }
  if length > 0 and entry(key, 0) + window <= now then log.expired = entries_until(key, length, now - window) end
  if length > log.expired then log.newest = entry(key, -1) end
  return log
end

function limit.judge(log, _, _, cost)
  local live = log.length - log.expired
  local reset = live > 0 and ceil((log.newest + window - now) / 1000) or 0
  if cost > count then return NEVER, count - live, reset end
  local turn = limit.wait_ms > 0 and log.newest or 0 -- a turn is never before the turn of a call that came earlier
  if live + cost > count then
    local fits_at = entry(log.key, floor(log.length + cost - count - 1)) + window
    if fits_at > turn then turn = fits_at end
  end
  return turn > now and ceil((turn - now) / 1000) or 0, count - live, reset
end

function limit.charge(log, cost, wait)
  local key, stamp = log.key, now + wait * 1000
  if log.expired > 0 and not write("LTRIM", key, log.expired, -1) then return nil end
  if stamp < log.newest then stamp = log.newest end
  local entries, text = {}, digits(stamp)
  for unit = 1, cost do
    entries[#entries + 1] = text
    if #entries == 1000 or unit == cost then
      if not write("RPUSH", key, unpack(entries)) then return nil end
      entries = {}
    end
  end
  local reset = ceil((stamp + window - now) / 1000)
  call("PEXPIRE", key, digits(reset + SPARE_MS))
  return reset, stamp
end

-- The stamp of a charge is the time that its entries contain.
function limit.give(key, most, stamp)
  if most == 0 then return 0 end
  return attempt(0, "LREM", key, digits(-most), digits(stamp))
end
