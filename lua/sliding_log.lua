-- sliding_log: at most `count` units in any interval of `time_ms`, exactly.
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 10 000 units, time_ms 1 .. 366 days, burst = count, wait_ms 0 .. 366 days,
--          cost 0 .. 2^32-1 units.
-- State    list, one entry per unit, oldest first: the moment of its turn, in microseconds of the server's clock.
--          A unit counts until one time_ms later. TTL: until the newest one counts no more, and a second, since the
--          server counts it by a clock that may be a little behind TIME.
-- Reply    delay_ms, remaining, reset_after_ms (decide.lua).
-- Change   of the limit: the entries stay; more or fewer of them count.
local SPARE_MS = 1000

local function entry(key, at)
  return tonumber(call("LINDEX", key, at)) or 0
end

-- How many of the oldest entries are at or before `moment`.
local function dead_at(key, length, moment)
  local low, high = 0, length
  while low < high do
    local middle = floor((low + high) / 2)
    if entry(key, middle) <= moment then low = middle + 1 else high = middle end
  end
  return low
end

local function judge(key, cost, count, time_ms, _, wait_ms)
  local time, length = call("TIME"), redis.pcall("LLEN", key)
  if type(length) ~= "number" then return FOREIGN, 0, 0 end
  local now, window, dead = time[1] * 1000000 + time[2], time_ms * 1000, 0
  if length > 0 and entry(key, 0) + window <= now then dead = dead_at(key, length, now - window) end
  local live, newest, reset = length - dead, 0, 0
  if live > 0 then
    newest = entry(key, -1)
    reset = ceil((newest + window - now) / 1000)
  end
  if cost > count then return NEVER, count - live, reset, now, dead, newest end
  local turn = wait_ms > 0 and newest or 0
  if live + cost > count then
    local passes = entry(key, length + cost - count - 1) + window
    if passes > turn then turn = passes end
  end
  return turn > now and ceil((turn - now) / 1000) or 0, count - live, reset, now, dead, newest
end

local function charge(key, cost, _, time_ms, _, _, wait, now, dead, newest)
  if dead > 0 then call("LTRIM", key, dead, -1) end
  local stamp = now + wait * 1000
  if stamp < newest then stamp = newest end
  local entries, text = {}, string.format("%.0f", stamp)
  for i = 1, cost do
    entries[#entries + 1] = text
    if #entries == 1000 or i == cost then
      call("RPUSH", key, unpack(entries))
      entries = {}
    end
  end
  local reset = ceil((stamp + time_ms * 1000 - now) / 1000)
  call("PEXPIRE", key, reset + SPARE_MS)
  return reset, stamp
end

-- Stamp: the entries of the charge.
local function give(key, units, _, _, _, _, stamp)
  if units == 0 then return 0 end
  local removed = redis.pcall("LREM", key, -units, string.format("%.0f", stamp))
  return type(removed) == "number" and removed or 0
end

return judge, charge, give
