-- concurrency: admits calls while at most `count` units are held at once, in permits that are returned or expire.
--
-- Idea     Permits are members of a sorted set, whose scores are the ends of their leases. Members whose end has passed no
--          longer count, so a permit of a dead process becomes free by itself. Nobody can know when a permit will be
--          returned. So a call that waits stores a ticket, is refused, and tries again with the same id.
-- State    sorted set. The units of a permit are written as powers of two, with one member for each power: id for 1 unit,
--          id:2 for 2 units, id:4 for 4 units, and so on.
--          The score of a member of 2^n units is n * 2^44 + the end of its lease, in ms of the server's clock, so
--          that one ZCOUNT counts all members of one size. Tickets are members too, with the score
--          n * 2^44 + arrival - 2^52, so that they sort first, in their order of arrival.
--          TTL: the time until the last lease or wait ends, plus a second, because the server's clock for TTLs may be late.
-- Example  count = 2, time = 30 s. At 0 s a call takes permit 17 (score 30 s), and at 10 s another takes permit 42
--          (score 40 s). At 12 s a third call is refused with retry_after = 18 s, because the first lease ends at 30 s. At
--          15 s permit 17 is returned. If the third call tries again, it passes. Permit 42 is free at 40 s at the latest.
--          With count = 10, a call of 5 units would store the members 17 (30 s) and 17:4 (2 * 2^44 + 30 s).
-- Wait     A ticket keeps its place until wait_ms after its arrival. Its call passes when there is room for it and for all
--          tickets before it. A refused call stores only its ticket. A call that leaves units to others gets no ticket: the
--          calls that may use these units would have to wait behind the ticket. Instead, such a call stands behind all
--          tickets.
-- ARGV     count: at most 10 000 units; time_ms: the lease, at least 1 s; burst: the permit's id, a random integer
--          1 .. 2^52-1 that the caller has chosen (1 if nothing is charged).
-- Change   When the limit changes, permits stay. A lease keeps its old length until it is renewed.
-- Edges    If a process is cut off for longer than the lease, its calls still run, but their permits are free.
local limit = ...
local count, time_ms, id, wait_ms, now = limit.count, limit.time_ms, limit.burst, limit.wait_ms, NOW
limit.longest = time_ms
local WAITING = 4503599627370496 -- 2^52
local SIZE = 17592186044416 -- 2^44: the year 2527
-- The time in ms until a waiting call tries again. NEXT_RETRY_MS: for a call that may be among the next calls that pass.
local NEXT_RETRY_MS, LATER_RETRY_MS = 20, 100
local SPARE_MS = 1000

-- Returns this score as a bound of a range of scores that does not contain the score itself.
local function exclusive(score)
  return "(" .. digits(score)
end

-- Calls visit(size, base) for each power of two in a number of units. base: the score of a member of this size at time 0.
local function each_part(units, visit)
  local size, base = 1, 0
  while units > 0 do
    if units % 2 == 1 then visit(size, base) end
    units, size, base = floor(units / 2), size * 2, base + SIZE
  end
end

local function member(permit, size)
  return size > 1 and digits(permit) .. ":" .. digits(size) or digits(permit)
end

-- Returns the scores and names of the members of a permit or ticket, as arguments of ZADD.
local function members(units, time)
  local list = {}
  each_part(units, function(size, base)
    list[#list + 1] = digits(base + time)
    list[#list + 1] = member(id, size)
  end)
  return list
end

-- Looks at the members whose scores are from `origin` to `score`, the highest score. Returns a table for each size of these
-- members, the largest size first. base: the score of a member of this size at time 0. units: the units of one member. last:
-- the latest time of a member.
local function sizes_of(key, origin, score)
  local sizes = {}
  while score and score >= origin do
    local base, units = origin, 1
    while base + SIZE <= score do base, units = base + SIZE, units * 2 end
    sizes[#sizes + 1] = { base = base, units = units, last = score - base }
    if base == origin then break end
    local below = exclusive(base)
    score = call("ZRANGE", key, below, digits(origin), "BYSCORE", "REV", "LIMIT", 0, 1, "WITHSCORES")[2]
    score = score and to_number(score)
  end
  return sizes
end

-- Returns the units of the tickets ahead of this call, and the sizes of all tickets.
local function read_tickets(key, cost)
  local last = call("ZRANGE", key, "(0", "-inf", "BYSCORE", "REV", "LIMIT", 0, 1, "WITHSCORES")[2]
  local sizes, ahead, before = sizes_of(key, -WAITING, last and to_number(last)), 0, SIZE
  if #sizes > 0 and cost > 0 then
    local ticket = to_number(call("ZSCORE", key, members(cost, 0)[2]) or 0)
    if ticket < 0 and (ticket + WAITING) % SIZE > now - wait_ms then before = (ticket + WAITING) % SIZE end
  end
  for _, size in ipairs(sizes) do
    local from, to = exclusive(size.base + now - wait_ms), exclusive(size.base + before)
    ahead = ahead + size.units * call("ZCOUNT", key, from, to)
  end
  return ahead, sizes
end

-- Reads the permits of a key. held: the units in permits. ahead: the units in tickets before this call. reset: the time in ms
-- until the last lease ends.
function limit.read(key, cost)
  local last = try_call("ZRANGE", key, -1, -1, "WITHSCORES")
  if last.err then return nil end
  last = to_number(last[2] or -WAITING)
  if not last or last < -WAITING or last >= WAITING then return nil end
  local permits = { key = key, held = 0, ahead = 0, reset = 0, sizes = sizes_of(key, 0, last) }
  for _, size in ipairs(permits.sizes) do
    if size.last > now then
      local alive = call("ZCOUNT", key, digits(size.base + now + 1), exclusive(size.base + SIZE))
      permits.held = permits.held + size.units * alive
      if size.last - now > permits.reset then permits.reset = size.last - now end
    end
  end
  if wait_ms > 0 then permits.ahead, permits.tickets = read_tickets(key, cost) end
  return permits
end

function limit.judge(permits, _, _, cost)
  local room, wait = count - permits.held - permits.ahead, 0
  if cost > count then
    wait = NEVER
  elseif cost > room then
    wait = permits.held > 0 and NEVER or time_ms
    for _, size in ipairs(permits.sizes) do
      local from, to = digits(size.base + now + 1), exclusive(size.base + SIZE)
      local first = call("ZRANGEBYSCORE", permits.key, from, to, "WITHSCORES", "LIMIT", 0, 1)[2]
      if first and first - size.base - now < wait then wait = first - size.base - now end
    end
  end
  return wait, room, permits.reset
end

-- Removes the members whose time was at least `ms` ms ago.
local function remove_expired(key, sizes, ms)
  for _, size in ipairs(sizes) do
    write("ZREMRANGEBYSCORE", key, digits(size.base), digits(size.base + now - ms))
  end
end

-- Lets the key live until all leases and waits have ended. `ms` is the time until the last lease ends.
local function outlive(key, ms)
  write("PEXPIRE", key, digits((ms > wait_ms and ms or wait_ms) + SPARE_MS))
end

function limit.charge(permits, cost)
  local key, reset = permits.key, permits.reset > time_ms and permits.reset or time_ms
  remove_expired(key, permits.sizes, 0)
  if not write("ZADD", key, unpack(members(cost, now + time_ms))) then return nil end
  outlive(key, reset)
  return reset, id
end

-- Stores a ticket if the cost is not 0 and the server does not refuse to write. Returns the time in ms after which the call
-- should try again.
function limit.enqueue(permits, cost, wait)
  local key = permits.key
  remove_expired(key, permits.tickets, wait_ms)
  if cost > 0 then write("ZADD", key, "NX", unpack(members(cost, now - WAITING))) end
  outlive(key, permits.reset)
  local retry = permits.ahead < count and NEXT_RETRY_MS or LATER_RETRY_MS
  return wait < retry and wait or retry
end

-- Removes the members of a permit of `most` units, or of its ticket. The stamp is the permit's id.
function limit.give(key, most, stamp)
  local removed = 0
  each_part(most, function(size)
    if attempt(0, "ZREM", key, member(stamp, size)) == 1 then removed = removed + size end
  end)
  return removed
end

-- Restarts the lease of a permit if the lease has not ended. The stamp is the permit's id.
function limit.renew(key, most, stamp)
  local renewed = 0
  each_part(most, function(size, base)
    local score = try_call("ZSCORE", key, member(stamp, size))
    if type(score) == "string" and to_number(score) - base > now then
      call("ZADD", key, digits(base + now + time_ms), member(stamp, size))
      renewed = renewed + size
    end
  end)
  local permits = renewed > 0 and limit.read(key, 0)
  if permits then outlive(key, permits.reset) end
  return renewed
end
