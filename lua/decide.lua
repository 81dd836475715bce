-- decide: the driver. Judges requests in order, and charges those that pass.
--
-- KEYS    one per request, all on one node. The keys of one stack differ.
-- ARGV    the mode, then runs of requests of one limit:
--           algorithm, count, time_ms, burst, wait_ms, n, cost_1 .. cost_n
--         All but the algorithm are decimal integers below 2^53; time_ms is at least 1; n:
--           n >= 1  n requests, each for itself.
--           n = 0   one request (cost_1) that passes only together with the run that follows: a stack, whose
--                   last run has n = 1. All of a stack is charged, or nothing of it.
--           n < 0   -n equal requests (cost_1) on one key, merged: one read and one write. Not with a wait.
--         Modes:
--           check   charges what passes now.
--           charge  charges what passes within wait_ms, its turn told, and answers a stamp by which to give it back.
--           peek    answers as check, and charges nothing.
-- Reply   three integers per request, four in mode charge: delay_ms, remaining, reset_after_ms, stamp.
--         delay_ms >= 0  it passes, after so long. In a stack: this member would; the stack has passed if all would.
--         delay_ms < 0   refused; -delay_ms until it would pass. -NEVER: never. -FOREIGN: cannot be decided.
--         remaining and reset_after_ms are as after the charge, if there was one; stamp is 0 if there was none.
--         n < 0          four integers: how many pass, remaining, reset_after_ms, and the delay_ms of the others.
-- Errors  What is wrong with ARGV, in Lua's words where a number is none; nothing has been written then. A count or
--         burst of zero is no error: it refuses everything.
local argv, keys = ARGV, KEYS
local mode = argv[1]
local peek, charging = mode == "peek", mode == "charge"
if not (peek or charging or mode == "check") then wrong("expected check, charge or peek") end

-- The numbers of the run at `at`, and how many costs it has.
local function numbers(at)
  local count, time_ms, burst, wait_ms = integer(at + 1), integer(at + 2), integer(at + 3), integer(at + 4)
  local n = (argv[at + 5] or wrong("a run is incomplete")) + 0
  if n % 1 ~= 0 or time_ms < 1 or count + time_ms + burst + wait_ms >= NEVER then
    wrong("a limit needs count, time_ms, burst, wait_ms and n as integers in range")
  end
  if n < 0 and (wait_ms > 0 or mode ~= "check" or integer(at + 6) < 1) then wrong("cannot merge these") end
  return count, time_ms, burst, wait_ms, n, n > 0 and n or 1
end

-- All is looked at before the first write. One request alone is so anyway.
if #keys ~= 1 or #argv ~= 8 or argv[7] ~= "1" then
  local at, requests, last = 2, 0, 1
  while argv[at] do
    local _, _, _, _, n, size = numbers(at)
    if not modules[argv[at]] or argv[at] == "bucket" then wrong("unknown algorithm") end
    if #argv < at + 5 + size then wrong("a run is incomplete") end
    for cost = at + 6, at + 5 + size do integer(cost) end
    if last == 0 and n ~= 0 and n ~= 1 then wrong("a stack ends with n = 1") end
    last = n
    requests, at = requests + size, at + 6 + size
  end
  if last == 0 then wrong("a stack ends with n = 1") end
  if requests ~= #keys then wrong("one key per request") end
end

local now = 0
if charging then
  local time = call("TIME")
  now = time[1] * 1000 + floor(time[2] / 1000)
end

local reply, out = {}, 0
local stack, refused = nil, false
local at, request = 2, 0
local name, judge, charge, queue, _

local function answer(position, delay, room, reset, stamp)
  reply[position + 1], reply[position + 2], reply[position + 3] = delay, room > 0 and room or 0, reset
  if charging then reply[position + 4] = stamp end
end

-- Charges the members of a stack that passes, and brings their answers up to date.
local function close()
  for _, m in ipairs(refused and {} or stack) do
    local reset, stamp = m.charge(m.key, m.cost, m.count, m.time_ms, m.burst, m.wait_ms, m.wait, m.a, m.b, m.c, m.d)
    answer(m.out, m.wait, m.room - m.cost, reset, stamp or now + reset)
  end
  stack, refused = nil, false
end

-- Equal requests on one key: as many as there is room for.
local function merged(key, n, cost, count, time_ms, burst)
  local wait, room, reset, a, b, c, d = judge(key, cost, count, time_ms, burst, 0)
  local passed = 0
  if wait == 0 then
    passed = floor(room / cost)
    if passed > n then passed = n end
    reset = charge(key, passed * cost, count, time_ms, burst, 0, 0, a, b, c, d)
    room = room - passed * cost
    if passed < n then wait = judge(key, cost, count, time_ms, burst, 0) end
  end
  reply[out + 1], reply[out + 2], reply[out + 3], reply[out + 4] = passed, room > 0 and room or 0, reset, -wait
  out = out + 4
end

while argv[at] do
  if argv[at] ~= name then
    name = argv[at]
    judge, charge, _, queue = (name ~= "bucket" and modules[name] or wrong("unknown algorithm"))(name)
  end
  local count, time_ms, burst, wait_ms, n = numbers(at)
  local patience, open = charging and not queue and wait_ms or 0, count > 0 and burst > 0
  at = at + 5
  if n < 0 then
    at, request = at + 1, request + 1
    if open then
      merged(keys[request], -n, argv[at] + 0, count, time_ms, burst)
    else
      reply[out + 1], reply[out + 2], reply[out + 3], reply[out + 4] = 0, 0, 0, -NEVER
      out = out + 4
    end
  end
  for _ = 1, n > 0 and n or n + 1 do
    at, request = at + 1, request + 1
    local key, cost = keys[request], integer(at)
    local wait, room, reset, a, b, c, d = NEVER, 0, 0
    if open then wait, room, reset, a, b, c, d = judge(key, cost, count, time_ms, burst, wait_ms) end
    local passes, stamp = wait <= patience, 0
    if n == 0 or stack then
      stack, refused = stack or {}, refused or not passes
      if cost > 0 and not peek then
        stack[#stack + 1] = {
          out = out, charge = charge, key = key, cost = cost, count = count, time_ms = time_ms, burst = burst,
          wait_ms = wait_ms, wait = wait, room = room, a = a, b = b, c = c, d = d,
        }
      end
    elseif passes and cost > 0 and not peek then
      reset, stamp = charge(key, cost, count, time_ms, burst, wait_ms, wait, a, b, c, d)
      room, stamp = room - cost, stamp or now + reset
    elseif queue and charging and wait_ms > 0 and not passes and wait < FOREIGN then
      wait = queue(key, cost, count, time_ms, burst, wait_ms, wait, a, b, c)
    end
    answer(out, passes and wait or -wait, room, reset, stamp)
    out = out + (charging and 4 or 3)
    if stack and n > 0 then close() end
  end
  at = at + 1
end

return reply
