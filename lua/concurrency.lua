-- concurrency: admits calls while at most `count` units are held at once, in permits that are returned or expire.
--
-- Idea     A permit is a member of a sorted set whose score is the end of its lease. Members whose end has passed no
--          longer count, so a permit of a dead process becomes free by itself. Nobody can know when a permit will be
--          returned, so a call that waits leaves a ticket, is refused, and asks again with the same id.
-- State    sorted set, one member per unit: id, id:2, id:3 .. with the end of its lease, in ms of the server's clock.
--          Tickets are members too, with the score arrival - 2^52, so that they sort first, in their order of arrival.
--          TTL: the time until the last lease or wait ends, plus one second, because the clock of the TTLs may be
--          slightly behind TIME.
-- Example  count = 2, time = 30 s. At 0 s a call takes permit 17 (score 30 s), and at 10 s another takes permit 42
--          (score 40 s). At 12 s a third call is refused with retry_after = 18 s, the end of the first lease. At 15 s
--          permit 17 is returned: its member is removed, and the third call passes if it asks again. If the process of
--          permit 42 dies, this permit is free at 40 s.
-- Wait     A ticket keeps its place until wait_ms after its arrival. It passes when there is room for it and for all
--          tickets before it. A ticket is the only thing that a refusal writes.
-- KEYS     one per request.
-- ARGV     of a run: count 0 .. 10 000 units, time_ms: the lease, 1 s .. 366 days; burst: the permit's id, a random
--          integer 1 .. 2^52-1 that the caller has chosen (1 if nothing is charged); wait_ms 0 .. 366 days;
--          cost 0 .. 2^32-1 units.
-- Reply    delay_ms (never above 0), remaining, reset_after_ms (decide.lua).
-- Change   of the limit: permits stay; each lease keeps the length that it had when it began or was last renewed.
-- Edges    A process that is cut off for longer than the lease still runs its calls, but their permits are free.
local WAITING = 4503599627370496 -- 2^52
-- When a waiting call asks again: soon if it could be among the next, later otherwise.
local NEXT_RETRY_MS, LATER_RETRY_MS = 20, 100
local SPARE_MS = 1000

local function clock()
  local time = call("TIME")
  return time[1] * 1000 + floor(time[2] / 1000)
end

local function member(id, unit)
  return string.format(unit > 1 and "%.0f:%.0f" or "%.0f", id, unit)
end

-- The bound of a range that excludes this score.
local function exclusive(score)
  return "(" .. string.format("%.0f", score)
end

local function judge(key, cost, count, time_ms, id, wait_ms)
  local now, last = clock(), try_call("ZRANGE", key, -1, -1, "WITHSCORES")
  if last.err then return FOREIGN, 0, 0 end
  last = tonumber(last[2]) or 0
  local held = last > now and call("ZCOUNT", key, now + 1, "+inf") or 0
  local ahead = 0
  if wait_ms > 0 then
    local ticket, expired = tonumber(call("ZSCORE", key, member(id, 1)) or 0), now - wait_ms - WAITING
    ahead = call("ZCOUNT", key, exclusive(expired), exclusive(ticket > expired and ticket < 0 and ticket or 0))
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

-- Leaves a ticket -> the time in ms after which to ask again.
local function enqueue(key, cost, count, _, id, wait_ms, wait, now, reset, ahead)
  call("ZREMRANGEBYSCORE", key, "-inf", now - wait_ms - WAITING)
  for unit = 1, cost do call("ZADD", key, "NX", now - WAITING, member(id, unit)) end
  call("PEXPIRE", key, (reset > wait_ms and reset or wait_ms) + SPARE_MS)
  local retry = ahead < count and NEXT_RETRY_MS or LATER_RETRY_MS
  return wait < retry and wait or retry
end

-- Stamp: the permit's id. Removes the permit or its ticket.
local function give(key, units, _, _, _, _, id)
  local removed = 0
  if units > 10000 then units = 10000 end
  for unit = 1, units do
    local result = try_call("ZREM", key, member(id, unit))
    removed = removed + (type(result) == "number" and result or 0)
  end
  return removed
end

-- Starts the lease of a permit again, if it has not ended.
local function renew(key, units, _, time_ms, _, wait_ms, id)
  local now, renewed = clock(), 0
  if units > 10000 then units = 10000 end
  for unit = 1, units do
    local ends = try_call("ZSCORE", key, member(id, unit))
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

return judge, charge, give, enqueue, renew
