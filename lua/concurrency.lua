-- concurrency: at most `count` units held at once, in permits that are given back, or end with their lease.
--
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 10 000 units, time_ms: the lease, 1 s .. 366 days; burst: the permit's id, an integer
--          1 .. 2^52-1 that the caller has chosen by chance (1 where nothing is charged); wait_ms 0 .. 366 days;
--          cost 0 .. 2^32-1 units.
-- State    sorted set, one member per unit: id, id:2, id:3 .. -> the end of its lease, in ms of the server's clock. Those
--          who wait are there too, with arrival - 2^52, so that they sort first, in the order of their arrival.
--          TTL: the longest lease or wait, and a second, since the server counts it by a clock that may be a little
--          behind TIME.
-- Wait     Nobody can know when a permit will be given back: who waits is refused with the time to ask again, with the
--          same id. Its ticket keeps its place until wait_ms after its arrival: it passes when there is room for it
--          and for all who came before. Leaving a ticket is the one refusal that writes.
-- Reply    delay_ms (never above 0), remaining, reset_after_ms (decide.lua).
-- Change   of the limit: permits stay; each lease is as long as it was when it began or was renewed last.
local WAITING = 4503599627370496 -- 2^52
local SOON_MS, LATER_MS, SPARE_MS = 20, 100, 1000

local function clock()
  local time = call("TIME")
  return time[1] * 1000 + floor(time[2] / 1000)
end

local function member(id, unit)
  return string.format(unit > 1 and "%.0f:%.0f" or "%.0f", id, unit)
end

-- A bound of a range that is not part of it.
local function beyond(score)
  return "(" .. string.format("%.0f", score)
end

local function judge(key, cost, count, time_ms, id, wait_ms)
  local now, last = clock(), redis.pcall("ZRANGE", key, -1, -1, "WITHSCORES")
  if last.err then return FOREIGN, 0, 0 end
  last = tonumber(last[2]) or 0
  local held = last > now and call("ZCOUNT", key, now + 1, "+inf") or 0
  local ahead = 0
  if wait_ms > 0 then
    local ticket, dead = tonumber(call("ZSCORE", key, member(id, 1)) or 0), now - wait_ms - WAITING
    ahead = call("ZCOUNT", key, beyond(dead), beyond(ticket > dead and ticket < 0 and ticket or 0))
  end
  local room, reset = count - held - ahead, last > now and last - now or 0
  local wait = 0
  if cost > count then
    wait = NEVER
  elseif cost > room then
    local first = held > 0 and call("ZRANGEBYSCORE", key, now + 1, "+inf", "WITHSCORES", "LIMIT", 0, 1)[2]
    wait = first and first - now or time_ms
  end
  return wait, room, reset, now, reset, ahead
end

local function charge(key, cost, _, time_ms, id, wait_ms, _, now, reset)
  call("ZREMRANGEBYSCORE", key, 0, now)
  for unit = 1, cost do call("ZADD", key, now + time_ms, member(id, unit)) end
  if reset < time_ms then reset = time_ms end
  call("PEXPIRE", key, (reset > wait_ms and reset or wait_ms) + SPARE_MS)
  return reset, id
end

-- Leaves a ticket -> when to ask again, in ms.
local function queue(key, cost, count, _, id, wait_ms, wait, now, reset, ahead)
  call("ZREMRANGEBYSCORE", key, "-inf", now - wait_ms - WAITING)
  for unit = 1, cost do call("ZADD", key, "NX", now - WAITING, member(id, unit)) end
  call("PEXPIRE", key, (reset > wait_ms and reset or wait_ms) + SPARE_MS)
  local again = ahead < count and SOON_MS or LATER_MS
  return wait < again and wait or again
end

-- Stamp: the permit's id. Its ticket goes too.
local function give(key, units, _, _, _, _, id)
  local removed = 0
  if units > 10000 then units = 10000 end
  for unit = 1, units do
    local gone = redis.pcall("ZREM", key, member(id, unit))
    removed = removed + (type(gone) == "number" and gone or 0)
  end
  return removed
end

-- Lets the lease of a permit that is still alive begin anew.
local function renew(key, units, _, time_ms, _, wait_ms, id)
  local now, renewed = clock(), 0
  if units > 10000 then units = 10000 end
  for unit = 1, units do
    local ends = redis.pcall("ZSCORE", key, member(id, unit))
    if type(ends) == "string" and tonumber(ends) > now then
      call("ZADD", key, now + time_ms, member(id, unit))
      renewed = renewed + 1
    end
  end
  if renewed > 0 then
    local last = call("ZRANGE", key, -1, -1, "WITHSCORES")[2] - now
    call("PEXPIRE", key, (last > wait_ms and last or wait_ms) + SPARE_MS)
  end
  return renewed
end

return judge, charge, give, queue, renew
