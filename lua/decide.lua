-- decide: the driver. Judges requests in order, and charges those that pass.
--
-- KEYS    one per request, all on one node. The keys of one stack differ.
-- ARGV    the mode, then runs of requests of one limit and cost, seven arguments each:
--           algorithm, count, time_ms, burst, wait_ms, n, cost
--         All but the algorithm are decimal integers below 2^53; time_ms is at least 1; n:
--           n >= 1  n requests, each for itself.
--           n = 0   one request that passes only together with the run that follows: a stack, whose last run has
--                   n = 1. All of a stack is charged, or nothing of it.
--           n < 0   -n equal requests on one key, merged: one read and one write. Not with a wait.
--         Modes:
--           check   charges what passes now.
--           charge  charges what passes within wait_ms, its turn told, and answers a stamp by which to give it back.
--           peek    answers as check, and charges nothing.
-- Reply   one string of four integers per request, 8 bytes each, lowest byte first: delay_ms, remaining, reset_after_ms,
--         stamp. (For the client it costs a tenth of as many integers, and for the server as much.)
--         delay_ms >= 0  it passes, after so long. In a stack: this member would; the stack has passed if all would.
--         delay_ms < 0   refused; -delay_ms until it would pass. -NEVER: never. -FOREIGN: the key holds something
--                        foreign, so that nothing can be decided.
--         All are below 2^53 in size, and remaining is at most what the limit can hold.
--         remaining and reset_after_ms are as after the charge, if there was one; stamp is 0 if there was none, and
--         means nothing but in mode charge.
--         n < 0          how many pass, remaining, reset_after_ms, and the delay_ms of the others.
-- Errors  What is wrong with ARGV, in Lua's words where a number is none; nothing has been written then. A count or
--         burst of zero is no error: it refuses everything.
local argv, keys = ARGV, KEYS
local mode = argv[1]
local peek, charging = mode == "peek", mode == "charge"
if not (peek or charging or mode == "check") then wrong("expected check, charge or peek") end

-- All is looked at before the first write.
local runs, requests, last = {}, 0, 1
for at = 2, #argv, 7 do
  local name = argv[at]
  if not modules[name] or name == "bucket" then wrong("unknown algorithm") end
  if #argv < at + 6 then wrong("a run is incomplete") end
  local count, time_ms, burst, wait_ms = integer(at + 1), integer(at + 2), integer(at + 3), integer(at + 4)
  local n, cost = argv[at + 5] + 0, integer(at + 6)
  if n % 1 ~= 0 or time_ms < 1 or count + time_ms + burst + wait_ms >= NEVER then
    wrong("a limit needs count, time_ms, burst, wait_ms and n as integers in range")
  end
  if n < 0 and (wait_ms > 0 or mode ~= "check" or cost < 1) then wrong("cannot merge these") end
  if last == 0 and n ~= 0 and n ~= 1 then wrong("a stack ends with n = 1") end
  runs[#runs + 1] = {
    name = name, count = count, time_ms = time_ms, burst = burst, wait_ms = wait_ms, n = n, cost = cost,
  }
  last, requests = n, requests + (n > 0 and n or 1)
end
if last == 0 then wrong("a stack ends with n = 1") end
if requests ~= #keys then wrong("one key per request") end

local now = 0
if charging then
  local time = call("TIME")
  now = time[1] * 1000 + floor(time[2] / 1000)
end

local pack, reply, request = struct.pack, {}, 0
local stack, refused = nil, false
local name, judge, charge, queue, _

local function answer(position, delay, room, reset, last)
  reply[position] = pack("<i8i8i8i8", delay, room > 0 and room or 0, reset, last)
end

-- Charges the members of a stack that passes, and brings their answers up to date.
local function close()
  for _, m in ipairs(refused and {} or stack) do
    local run = m.run
    local reset, stamp =
      m.charge(m.key, run.cost, run.count, run.time_ms, run.burst, run.wait_ms, m.wait, m.a, m.b, m.c, m.d)
    if reset then
      answer(m.request, m.wait, m.room - run.cost, reset, stamp or now + reset)
    else
      answer(m.request, -FOREIGN, 0, 0, 0)
    end
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
    if not reset then return answer(request, 0, 0, 0, -FOREIGN) end
    room = room - passed * cost
    if passed < n then wait = judge(key, cost, count, time_ms, burst, 0) end
  end
  answer(request, passed, room, reset, -wait)
end

for _, run in ipairs(runs) do
  if run.name ~= name then
    name = run.name
    judge, charge, _, queue = modules[name](name)
  end
  local count, time_ms, burst, wait_ms, n, cost = run.count, run.time_ms, run.burst, run.wait_ms, run.n, run.cost
  local patience, open = charging and not queue and wait_ms or 0, count > 0 and burst > 0
  local takes = cost > 0 and not peek
  if n < 0 then
    request = request + 1
    if open then
      merged(keys[request], -n, cost, count, time_ms, burst)
    else
      answer(request, 0, 0, 0, -NEVER)
    end
  end
  for _ = 1, n > 0 and n or n + 1 do
    request = request + 1
    local key = keys[request]
    local wait, room, reset, a, b, c, d = NEVER, 0, 0
    if open then wait, room, reset, a, b, c, d = judge(key, cost, count, time_ms, burst, wait_ms) end
    local passes, stamp = wait <= patience, 0
    if n == 0 or stack then
      stack, refused = stack or {}, refused or not passes
      if takes then
        stack[#stack + 1] = {
          request = request, run = run, charge = charge, key = key, wait = wait, room = room, a = a, b = b, c = c, d = d,
        }
      end
    elseif passes and takes then
      reset, stamp = charge(key, cost, count, time_ms, burst, wait_ms, wait, a, b, c, d)
      if reset then
        room, stamp = room - cost, stamp or now + reset
      else
        passes, wait, room, reset, stamp = false, FOREIGN, 0, 0, 0
      end
    elseif queue and charging and wait_ms > 0 and not passes and wait < FOREIGN then
      wait = queue(key, cost, count, time_ms, burst, wait_ms, wait, a, b, c)
    end
    answer(request, passes and wait or -wait, room, reset, stamp)
    if stack and n > 0 then close() end
  end
end

return table.concat(reply)
