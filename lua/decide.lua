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
-- Errors  ERR ratelimit: what is wrong with ARGV; nothing has been written then. A count or burst of zero is
--         no error: it refuses everything.
local peek = ARGV[1] == "peek"
if not peek and ARGV[1] ~= "charge" then return redis.error_reply("ERR ratelimit: expected charge or peek") end

-- Digits only: tonumber would let NaN, hex, fractions and exponents through.
local function integer(text)
  return text and #text <= 16 and not string.find(text, "%D") and tonumber(text)
end

local runs, requests, at = {}, 0, 2
while ARGV[at] do
  local name = ARGV[at]
  local count, time_ms, burst, n = integer(ARGV[at + 1]), integer(ARGV[at + 2]), integer(ARGV[at + 3]), integer(ARGV[at + 4])
  if not modules[name] then return redis.error_reply("ERR ratelimit: unknown algorithm") end
  if not (count and time_ms and burst and n and time_ms >= 1) then
    return redis.error_reply("ERR ratelimit: a limit needs count, time_ms, burst and n as integers")
  end
  local before = runs[#runs]
  if before and before.n == 0 and n > 1 then return redis.error_reply("ERR ratelimit: a stack ends with n = 1") end
  local run = { name = name, count = count, time_ms = time_ms, burst = burst, n = n, costs = {} }
  for i = 1, n > 0 and n or 1 do
    local cost = integer(ARGV[at + 4 + i])
    if not cost then return redis.error_reply("ERR ratelimit: a cost has to be an integer") end
    run.costs[i] = cost
  end
  runs[#runs + 1] = run
  requests, at = requests + #run.costs, at + 5 + #run.costs
end
if requests ~= #KEYS then return redis.error_reply("ERR ratelimit: one key per request") end
if requests > 0 and runs[#runs].n == 0 then return redis.error_reply("ERR ratelimit: a stack ends with n = 1") end

local reply, request = {}, 0
local stack, refused = {}, false
local name, judge, charge

-- Charges what was judged, and brings its answer up to date.
local function take(member)
  local run, at = member.run, member.at
  reply[at + 1] = reply[at + 1] - member.cost
  reply[at + 2] = member.charge(member.key, member.cost, run.count, run.time_ms, run.burst, member.a, member.b, member.c)
end

for _, run in ipairs(runs) do
  if run.name ~= name then
    name = run.name
    judge, charge = modules[name](name)
  end
  for _, cost in ipairs(run.costs) do
    local at = 3 * request + 1
    request = request + 1
    local key = KEYS[request]
    local wait, remaining, reset, a, b, c = NEVER, 0, 0
    if run.count > 0 and run.burst > 0 then
      wait, remaining, reset, a, b, c = judge(key, cost, run.count, run.time_ms, run.burst)
    end
    reply[at], reply[at + 1], reply[at + 2] = -wait, remaining, reset
    refused = refused or wait > 0
    if cost > 0 and not peek then
      stack[#stack + 1] = { run = run, key = key, cost = cost, charge = charge, at = at, a = a, b = b, c = c }
    end
    if run.n > 0 then
      for i = 1, refused and 0 or #stack do take(stack[i]) end
      stack, refused = {}, false
    end
  end
end

return reply
