-- decide: the driver. Judges requests in order, and charges those that pass.
--
-- KEYS    one per request, all on one node. The keys of one stack differ.
-- ARGV    "charge" or "peek" (which answers the same and charges nothing), then runs of requests of one limit:
--           algorithm, count, time_ms, burst, n, cost_1 .. cost_n
--         All but the algorithm are decimal integers below 2^53; time_ms is at least 1.
--         n >= 1  n requests, each for itself.
--         n = 0   one request (cost_1) that passes only together with the run that follows: a stack, whose
--                 last run has n = 1. All of a stack is charged, or nothing of it.
-- Reply   three integers per request: delay_ms, remaining, reset_after_ms.
--         delay_ms = 0   it passes. In a stack: this member would; the stack has passed if all of it would.
--         delay_ms < 0   refused; -delay_ms until it would pass. -NEVER: never. -FOREIGN: cannot be decided.
--         remaining and reset_after_ms are as after the charge, if there was one.
-- Errors  What is wrong with ARGV, in Lua's words where a number is none; nothing has been written then. A count or
--         burst of zero is no error: it refuses everything.
local argv, keys = ARGV, KEYS

local function wrong(what)
  error("ratelimit: " .. what, 0)
end

local peek = argv[1] == "peek"
if not peek and argv[1] ~= "charge" then wrong("expected charge or peek") end

-- The numbers of the run at `at`. NaN passes no comparison.
local function numbers(at)
  local count, time_ms, burst, n = argv[at + 1] + 0, argv[at + 2] + 0, argv[at + 3] + 0, argv[at + 4] + 0
  local sum = count + time_ms + burst + n
  if count >= 0 and time_ms >= 1 and burst >= 0 and n >= 0 and sum < NEVER and sum % 1 == 0 then
    return count, time_ms, burst, n
  end
  wrong("a limit needs count, time_ms, burst and n as integers in range")
end

local function cost_at(at)
  local cost = argv[at] + 0
  if cost >= 0 and cost < NEVER and cost % 1 == 0 then return cost end
  wrong("a cost has to be an integer in range")
end

-- All is read before the first write. One request, the usual case, is so anyway.
if #argv ~= 7 or #keys ~= 1 then
  local at, requests, last = 2, 0, 1
  while argv[at] do
    local _, _, _, n = numbers(at)
    if not modules[argv[at]] then wrong("unknown algorithm") end
    if last == 0 and n > 1 then wrong("a stack ends with n = 1") end
    last = n
    if n == 0 then n = 1 end
    for i = at + 5, at + 4 + n do cost_at(i) end
    requests, at = requests + n, at + 5 + n
  end
  if last == 0 then wrong("a stack ends with n = 1") end
  if requests ~= #keys then wrong("one key per request") end
end

local reply, stack, refused = {}, nil, false
local at, request = 2, 0
local name, judge, charge

-- Charges the members of a stack that passes, and brings their answers up to date.
local function close()
  for _, m in ipairs(refused and {} or stack) do
    reply[m.out + 2] = reply[m.out + 2] - m.cost
    reply[m.out + 3] = m.charge(m.key, m.cost, m.count, m.time_ms, m.burst, m.a, m.b, m.c)
  end
  stack, refused = nil, false
end

while argv[at] do
  if argv[at] ~= name then
    name = argv[at]
    judge, charge = (modules[name] or wrong("unknown algorithm"))(name)
  end
  local count, time_ms, burst, n = numbers(at)
  at = at + 4
  for _ = 1, n > 0 and n or 1 do
    at, request = at + 1, request + 1
    local key, cost, out = keys[request], cost_at(at), 3 * request - 3
    local wait, remaining, reset, a, b, c = NEVER, 0, 0
    if count > 0 and burst > 0 then
      wait, remaining, reset, a, b, c = judge(key, cost, count, time_ms, burst)
    end
    if n == 0 or stack then
      stack, refused = stack or {}, refused or wait > 0
      if cost > 0 and not peek then
        stack[#stack + 1] = {
          out = out, charge = charge, key = key, cost = cost,
          count = count, time_ms = time_ms, burst = burst, a = a, b = b, c = c,
        }
      end
    elseif wait == 0 and cost > 0 and not peek then
      remaining, reset = remaining - cost, charge(key, cost, count, time_ms, burst, a, b, c)
    end
    reply[out + 1], reply[out + 2], reply[out + 3] = -wait, remaining, reset
    if stack and n > 0 then close() end
  end
  at = at + 1
end

return reply
