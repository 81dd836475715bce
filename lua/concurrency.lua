-- concurrency: admits calls while at most `count` units are held at once, in permits that are returned or expire.
--
-- Idea     A permit is a member of a sorted set whose score is the end of its lease. Members whose end has passed no
--          longer count, so a permit of a dead process becomes free by itself. Nobody can know when a permit will be
--          returned, so a call that waits leaves a ticket, is refused, and asks again with the same id.
-- State    sorted set, one member per unit: id, id:2, id:3 .. with the end of its lease, in ms of the server's clock.
--          Tickets are members too, with the score arrival - 2^52, so that they sort first, in their order of arrival.
--          TTL: the time until the last lease or wait ends, plus a second, because the clock of the TTLs may be late.
-- Example  count = 2, time = 30 s. At 0 s a call takes permit 17 (score 30 s), and at 10 s another takes permit 42
--          (score 40 s). At 12 s a third call is refused with retry_after = 18 s, the end of the first lease. At 15 s
--          permit 17 is returned, and the third call passes if it asks again. Permit 42 is free at 40 s at the latest.
-- Wait     A ticket keeps its place until wait_ms after its arrival. It passes when there is room for it and for all
--          tickets before it. A ticket is the only thing that a refusal writes.
-- ARGV     count: at most 10 000 units; time_ms: the lease, at least 1 s; burst: the permit's id, a random integer
--          1 .. 2^52-1 that the caller has chosen (1 if nothing is charged).
-- Change   of the limit: permits stay; each lease keeps the length that it had when it began or was last renewed.
-- Edges    A process that is cut off for longer than the lease still runs its calls, but their permits are free.
local limit = ...
local count, time_ms, id, wait_ms, now = limit.count, limit.time_ms, limit.burst, limit.wait_ms, NOW
limit.longest = time_ms
local WAITING = 4503599627370496 -- 2^52
-- When a waiting call asks again: soon if it could be among the next, later otherwise.
local NEXT_RETRY_MS, LATER_RETRY_MS = 20, 100
local SPARE_MS = 1000

local function member(permit, unit)
  return unit > 1 and digits(permit) .. ":" .. digits(unit) or digits(permit)
end

-- The bound of a range that excludes this score.
local function exclusive(score)
  return "(" .. digits(score)
end

-- held: units in permits. ahead: units in tickets before this call's. reset: until the last lease ends.
function limit.read(key)
  local last = try_call("ZRANGE", key, -1, -1, "WITHSCORES")
  if last.err then return nil end
  last = to_number(last[2]) or 0
  local permits = { key = key, held = 0, ahead = 0, reset = last > now and last - now or 0 }
  if last > now then permits.held = call("ZCOUNT", key, digits(now + 1), "+inf") end
  if wait_ms > 0 then
    local ticket, expired = to_number(call("ZSCORE", key, member(id, 1)) or 0), now - wait_ms - WAITING
    local before = ticket > expired and ticket < 0 and ticket or 0
    permits.ahead = call("ZCOUNT", key, exclusive(expired), exclusive(before))
  end
  return permits
end

function limit.judge(permits, _, _, cost)
  local room, wait = count - permits.held - permits.ahead, 0
  if cost > count then
    wait = NEVER
  elseif cost > room then
    local first = permits.held > 0
      and call("ZRANGEBYSCORE", permits.key, digits(now + 1), "+inf", "WITHSCORES", "LIMIT", 0, 1)[2]
    wait = first and first - now or time_ms
  end
  return wait, room, permits.reset
end

-- Lets the key live until all leases and waits have ended.
local function outlive(key, ms)
  call("PEXPIRE", key, digits((ms > wait_ms and ms or wait_ms) + SPARE_MS))
end

function limit.charge(permits, cost)
  local key, reset = permits.key, permits.reset > time_ms and permits.reset or time_ms
  call("ZREMRANGEBYSCORE", key, 0, digits(now))
  for unit = 1, cost do call("ZADD", key, digits(now + time_ms), member(id, unit)) end
  outlive(key, reset)
  return reset, id
end

-- Leaves a ticket -> the time in ms after which to ask again.
function limit.enqueue(permits, cost, wait)
  local key = permits.key
  call("ZREMRANGEBYSCORE", key, "-inf", digits(now - wait_ms - WAITING))
  for unit = 1, cost do call("ZADD", key, "NX", digits(now - WAITING), member(id, unit)) end
  outlive(key, permits.reset)
  local retry = permits.ahead < count and NEXT_RETRY_MS or LATER_RETRY_MS
  return wait < retry and wait or retry
end

-- Stamp: the permit's id. Removes the permit or its ticket.
function limit.give(key, most, stamp)
  local removed = 0
  for unit = 1, most < 10000 and most or 10000 do
    local result = try_call("ZREM", key, member(stamp, unit))
    removed = removed + (type(result) == "number" and result or 0)
  end
  return removed
end

-- Starts the lease of a permit again, if it has not ended.
function limit.renew(key, most, stamp)
  local renewed = 0
  for unit = 1, most < 10000 and most or 10000 do
    local ends = try_call("ZSCORE", key, member(stamp, unit))
    if type(ends) == "string" and to_number(ends) > now then
      call("ZADD", key, digits(now + time_ms), member(stamp, unit))
      renewed = renewed + 1
    end
  end
  if renewed > 0 then outlive(key, call("ZRANGE", key, -1, -1, "WITHSCORES")[2] - now) end
  return renewed
end
