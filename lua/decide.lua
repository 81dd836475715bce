-- decide: the driver that judges requests in order, and charges the requests that pass.
--
-- KEYS    one per request, all on one node. The keys of a stack differ from each other. Then two for each run with callers, in
--         the order of the runs: the hashes of the shares (fair.lua).
-- ARGV    the mode, the number of keys that are read at once (from the first key on), and then the runs. A run is one or more
--         requests with the same limit, cost and extra. Each run has eight arguments:
--           algorithm, count, time_ms, burst, wait_ms, n, cost, extra
--         The keys that are read at once differ. Any later key is read when its request is decided, because an earlier
--         request of the same call may have charged this key. The mode, the algorithm and extra are texts. All other arguments
--         are integers below 2^53. The library sends time_ms 1 .. 366 days, wait_ms 0 .. 366 days, cost 0 .. 2^32-1, and
--         count and burst in the ranges that the file of the algorithm states.
--           n >= 1  n independent requests.
--           n = 0   one request of a stack, which continues with the next run. The last run of a stack has n = 1. Either all
--                   requests of a stack are charged, or none is.
--           n < 0   -n equal requests on one key, merged into one read and one write. Only in mode check, without a wait.
--           extra   the units that are left to others, and the steps of a block or the callers that share a bucket
--                   (requests.lua). A run with callers has n = 0, n = 1, or n < 0: then each of the -n requests has its caller.
--         The mode is one of:
--           check   charges requests that pass now.
--           charge  charges requests that pass within wait_ms. Returns the delay of each request, and a stamp by which its
--                   charge can be given back.
--           peek    replies as check does, but charges nothing.
-- Reply   one string of doubles, 8 bytes each, lowest byte first. This costs less than a reply of the same number of integers.
--         Each double is an integer from -(2^53 - 1) to 2^53 - 1. For each request:
--           check, peek  if it passes: remaining * (longest + 1) + reset_after_ms, where `longest` is the longest reset
--                        of the limit in ms. If one double may be too small for this number, the reply is three doubles:
--                        2^53 - 1, remaining, reset_after_ms.
--                        If it does not pass: delay_ms, remaining, reset_after_ms.
--           charge       delay_ms, remaining, reset_after_ms, stamp (0 if nothing was charged).
--           n < 0        the number of requests that pass, remaining, reset_after_ms, the delay_ms of the other requests.
--                        With callers, if not all pass: -1, and then the same as for n = 1, for each request.
--         delay_ms >= 0  the request passes after this time. A stack passes if this holds for each of its requests.
--         delay_ms < 0   the request is refused; it would pass after -delay_ms. -NEVER: it never passes. -FOREIGN: nothing
--                        was decided and nothing was charged, and remaining says why. 0: the key holds a value that no
--                        limit has written. 1, 2, 3: the request would pass, but the server refuses to write (REFUSALS). In
--                        a stack, this is the reply about one request, and none is charged.
--         remaining and reset_after_ms describe the state after the charge, if there was one. While a gate is closed,
--         remaining is 0, and the delay and the reset are at least the time until the gate's end.
-- Example check 1 counter 5 60000 5 0 1 2 0, with one key that does not exist. The reply is 3 * 60001 + 60000.
-- Errors  say what is wrong with ARGV (in Lua's own words if an argument is not a number). In this case, nothing has been
--         written. A count or burst of zero is no error: such a limit refuses everything.
-- texts: the texts of the keys that have been read. They are read in parts of 4000 keys, because servers let a script pass only
-- about 8000 arguments to a command.
local texts, reply = {}, {}
for first = 1, at_once, 4000 do
  local last = first + 3999 < at_once and first + 3999 or at_once
  local read = call("MGET", unpack(keys, first, last))
  if first == 1 then texts = read else for at = first, last do texts[at] = read[at - first + 1] end end
end

-- at: the position of the current request. extra: the number of numbers in the reply so far, minus the number of requests.
local at, extra, decide = 1, 0, nil

local function add(position, a, b, c, d)
  local index = position + extra
  reply[index], extra = a, extra + (d and 3 or b and 2 or 0)
  if b then reply[index + 1], reply[index + 2] = b, c end
  if d then reply[index + 3] = d end
end

-- Makes the function `decide`, which can decide every request. Most calls do not need this function, so it is made on demand.
local function make_decide()
  -- The errors with which a server refuses all writes: it has no free memory, too few replicas or a failed save, or it is a replica.
  -- It refuses only the first write of a script, so the script has then written nothing.
  local REFUSALS, READONLY = { "OOM ", "NOREPLICAS ", "MISCONF ", "READONLY " }, 4
  local refusal = 0 -- why the server has refused to write about the current request: a position in REFUSALS; 0 if it has not

  -- A server that refuses to write must not end the script, because limits can refuse without a write.
  write = function(...)
    local reply = try_call(...)
    if type(reply) ~= "table" or not reply.err then return reply end
    for number, code in ipairs(REFUSALS) do
      if find(reply.err, code, 1, true) then
        refusal = number
        return false
      end
    end
    return call(...) -- ends the script
  end

  -- Charges a state and writes it. Returns reset, units, tag and ahead. Returns nil if the key is foreign or the server refuses
  -- to write.
  local function charge_state(limit, key, text, units, tag, ahead, gate, amount, wait)
    local tags, sum, new_tag, new_ahead, reset, ttl = limit.tags, limit.charge(units, tag, ahead, amount, wait)
    if text and #text < 20 and not ttl and new_tag == tag and sum * tags + tag < SHORT then
      local new = try_call("INCRBY", key, format("%.0f00000000000", amount * tags))
      if type(new) == "number" then return reset, sum, tag, ahead end
      if not find(new.err, "not an integer", 1, true) then write("INCRBY", key, 0) end -- a refusal, or ends the script
    elseif put(limit, key, text, sum, new_tag, new_ahead, ttl, gate) then
      return reset, sum, new_tag, new_ahead
    end
  end

  -- Closes the gate of a refused request for the next step of its block. Returns the length of the step in ms: 0 if the server
  -- refuses to write, and nil if the key is foreign.
  local function close(limit, key, old, units, tag, ahead, gate)
    local steps, earlier = limit.steps, gate and gate.level or 0
    if earlier >= #steps then earlier = #steps - 1 end
    local ms = steps[earlier + 1]
    local expires = gate and gate.kept > 0 and gate.expires or nil
    local generation = gate and gate.generation or 0
    gate = {
      kind = 0, level = earlier + 1, generation = generation, left = ms, kept = ms + steps[#steps], expires = expires,
    }
    return put(limit, key, old, units, tag, ahead, nil, gate) and ms or refusal > 0 and 0 or nil
  end

  -- Ends the script on a replica, so that the client looks for the primary.
  local function end_if_read_only(key)
    if READONLY == refusal then call("INCRBY", key, 0) end
  end

  -- Decides a run of one request, or of merged requests, whose callers share the bucket. Only in mode check. The requests are
  -- decided in order, and all that pass are charged together.
  local decide_shared
  if shares > 0 then
    function decide_shared(run)
      local limit, cost, position, most = run.limit, run.cost, run.first, run.share.most
      local key, text, units, tag, ahead, gate = keys[position], texts[position], 0, 0, ABSENT, nil
      refusal = 0
      if text == nil then text = attempt("", "GET", key) end
      if text then units, tag, ahead, gate = decode(text, limit.tags) end
      local is_foreign = not units or text == false and position <= at_once and attempt("", "GET", key)
      local needed, closed, unit, count = cost + run.keep, gate and gate.left or 0, limit.time_ms, limit.count
      local capacity, level = limit.burst * unit, is_foreign and 0 or limit.level_of(units, ahead)
      local passed, replies, reserve, note, save = 0, {}, nil, nil, nil
      if level == 0 and closed <= 0 and needed <= limit.burst then reserve, note, save = open_shares(run, true) end
      local size = #run.share.callers / 16
      local unused = (capacity - level - (capacity - level) % unit) / unit
      if closed <= 0 and not is_foreign and unused >= (size - 1) * cost + needed + most then
        level, passed = level + size * cost * unit, size -- units are not scarce for any of the calls
        replies[size] = { unused - size * cost, (level + -level % count) / count }
      end
      for number = passed + 1, size do
        local caller = sub(run.share.callers, 16 * number - 15, 16 * number)
        local room = capacity - level
        local free, needs = (room - room % unit) / unit, needed
        local passes = not is_foreign and closed <= 0 and free >= needed + most
        if not passes and needed <= limit.burst and closed <= 0 and not is_foreign then
          if not reserve then reserve, note, save = open_shares(run, false) end
          local left = reserve(caller)
          if left then
            needs = needed + left
            passes = free >= needs
            note(passes, cost)
          else
            is_foreign = true
          end
        end
        if passes then
          level, passed = level + cost * unit, passed + 1
          replies[number] = { free - cost, (level + -level % count) / count }
        else
          local wait, reset = NEVER, limit.leak_time(level, 0)
          if needed <= limit.burst then wait = free >= needs and 0 or limit.leak_time(needs * unit - room, 0) end
          if closed > 0 then wait, free, reset = wait < closed and closed or wait, 0, reset < closed and closed or reset end
          replies[number] = { free > 0 and free or 0, reset, -wait }
        end
      end
      if passed > 0 and not is_foreign then
        local charged = charge_state(limit, key, text, units, tag, ahead, gate, passed * cost, 0)
        if not charged then is_foreign, save = true, nil end
      end
      if is_foreign then save = nil end
      if save then save() end
      end_if_read_only(key)
      if run.n < 0 and passed == -run.n and not is_foreign then
        local last = replies[passed]
        return add(position, passed, last[1], last[2], 0)
      end
      local index = position + extra
      if run.n < 0 then reply[index], index = -1, index + 1 end
      for _, numbers in ipairs(replies) do
        local room, reset, wait = numbers[1], numbers[2], numbers[3]
        if is_foreign and (not wait or refusal == 0) then room, reset, wait = refusal, 0, -FOREIGN end
        local number = room * (limit.longest + 1) + reset
        if not wait and reset <= limit.longest and number < NEVER then
          reply[index], index = number, index + 1
        else
          reply[index], reply[index + 1], reply[index + 2], index = wait or NEVER, room, reset, index + 3
        end
      end
      extra = index - position - 1
    end
  end

  -- Decides the request of a run at this position. Charges it if it passes and `charges` is true. Returns whether it passes.
  return function(run, position, charges)
    if run.share and mode == "check" and not run.is_member and run.limit.tags and run.cost > 0 then
      return decide_shared(run)
    end
    local limit, cost, keep, n, key = run.limit, run.cost, run.keep, run.n, keys[position]
    local tags, text, state, tag, ahead, gate = limit.tags, texts[position], 0, 0, ABSENT, nil
    refusal = 0
    if not tags then
      state = limit.read(key, cost)
    else
      if text == nil then
        text = attempt("", "GET", key)
        texts[position] = text
      end
      if text then state, tag, ahead, gate = decode(text, tags) end
    end
    local wait, room, reset, stamp, passed, closed = FOREIGN, 0, 0, 0, 0, gate and gate.left or 0
    if state then wait, room, reset = limit.judge(state, tag, ahead, cost + keep, keep) end
    local reserve, note, save
    if run.share and tags and state and closed <= 0 and cost + keep <= limit.burst then
      local is_full = room == limit.burst
      if is_full or room < cost + keep + run.share.most then
        reserve, note, save = open_shares(run, is_full)
        local left = room < cost + keep + run.share.most and reserve(run.share.callers) or 0
        if not left then
          state, wait, room, reset = nil, FOREIGN, 0, 0
        elseif left > 0 then
          keep = keep + left
          wait, room, reset = limit.judge(state, tag, ahead, cost + keep, keep)
        end
      end
    end
    if wait < closed then wait = closed end
    local may_wait = waits and not limit.enqueue and (keep == 0 or limit.level_of) and (closed <= 0 or gate.kind == 1)
    local passes = wait <= (may_wait and limit.wait_ms or 0)
    if passes and charges and cost > 0 then
      passed = n < 0 and floor((room - keep) / cost) or 1
      if n < 0 and passed > -n then passed = -n end
      if tags then
        reset, state, tag, ahead = charge_state(limit, key, text, state, tag, ahead, gate, passed * cost, wait)
        stamp = reset and NOW + reset + (gate and gate.generation * GENERATION or 0)
      else
        reset, stamp = limit.charge(state, passed * cost, wait)
      end
      room = room - passed * cost
      if refusal == READONLY then call("INCRBY", key, 0) end -- ends the script, so that the client looks for the primary
      if not reset then passes, passed, wait, room, reset, stamp = false, 0, FOREIGN, refusal, 0, 0 end
      if passes and save then
        note(true, cost)
        save()
      end
    elseif tags and text == false and position <= at_once and attempt("", "GET", key) then
      passes, wait, room, reset = false, FOREIGN, 0, 0
    elseif passes then
      reset = select(3, limit.judge(state, tag, ahead, 0))
    elseif state and closed > 0 then
      reset = select(3, limit.judge(state, tag, ahead, 0))
    elseif limit.enqueue and waits and charges and limit.wait_ms > 0 and wait < FOREIGN then
      wait = limit.enqueue(state, keep > 0 and 0 or cost, wait) -- a call that leaves units to others stands behind all tickets
    end
    if save and not passes and state and mode ~= "peek" and cost > 0 and refusal == 0 then
      note(false)
      save()
      end_if_read_only(key)
    end
    if n < 0 and passes and passed < -n then
      wait = limit.judge(tags and state or limit.read(key), tag, ahead, cost + keep, keep)
    end
    if limit.steps and wait > 0 and wait < FOREIGN and closed <= 0 and cost > 0 and keep == 0 and mode ~= "peek"
      and (not passes or n < 0) then
      local step = close(limit, key, text or passed > 0, state, tag, ahead, gate)
      wait = step and (step > wait and step or wait) or FOREIGN
      if not passes then closed = step or 0 end
    end
    if closed > 0 and wait ~= FOREIGN then room, reset = 0, closed > reset and closed or reset end
    if room < 0 then room = 0 end
    local packed = room * (limit.longest + 1) + reset
    if n < 0 then
      add(position, passed, room, reset, 0 - wait)
    elseif waits then
      add(position, passes and wait or -wait, room, reset, stamp)
    elseif passes and reset <= limit.longest and packed < NEVER then
      add(position, packed)
    else
      add(position, passes and NEVER or -wait, room, reset)
    end
    return passes
  end
end

-- Decides the plain requests from `at` on, in few steps. A request is plain if the mode is check and its state is absent or has
-- the short form. Nearly all requests are plain. `decide` would make the same decisions. At the first request that is not plain,
-- this function returns or fails, and `at` is the position of that request. A failure is safe in a `pcall`, because nothing after
-- the write of a request can fail. So a request has both its write and its reply, or neither. If it has neither, `decide` decides
-- it from the start. For example, INCRBY fails on a text that only Lua reads as a number. `most` is nil for a run without callers.
local function decide_plain(limit, cost, keep, last, most)
  local judge, tags, longest, call, keys, texts, reply = limit.judge, limit.tags, limit.longest, call, keys, texts, reply
  local ERA, SHIFT, PAST, NEVER, ABSENT = ERA, SHIFT, PAST, NEVER, ABSENT
  local increment, start, life = format("%.0f00000000000", cost * tags), nil, nil
  local base, offset = longest + 1, extra
  if limit.burst * base + longest >= NEVER then longest = -1 end -- one number might not hold the reply
  for position = at, last do
    at = position
    local key, text, number = keys[position], texts[position], nil
    local units, tag, ahead = 0, 0, ABSENT
    if text == nil then text = call("GET", key) end
    if text then
      number = text - 0
      if number < 0 or number > NEVER then return end
      local time = number % ERA
      units = (number - time) / ERA
      if tags > 1 then
        tag = units % tags
        units = (units - tag) / tags
      end
      ahead = (time + SHIFT) % ERA - PAST
    end
    local wait, room, reset, change = judge(units, tag, ahead, cost)
    if keep > 0 and (wait > 0 or room < cost + keep) then
      wait, room, reset = judge(units, tag, ahead, cost + keep, keep)
    end
    if most and (wait > 0 or room < cost + keep + most or change == "starts") then return end
    if wait > 0 then
      if limit.steps or not text or not find(text, "^[1-9]%d*$") then return end
      local index = position + offset
      reply[index], reply[index + 1], reply[index + 2] = -wait, room > 0 and room or 0, reset
      offset = offset + 2
      extra = offset
    else
      if change == "grows" then
        call("INCRBY", key, increment)
      elseif change ~= "starts" or text and not find(text, "^[1-9]%d*$") then
        return
      else
        if not start then
          local new_units, new_tag, new_ahead, _, ttl = limit.charge(0, 0, ABSENT, cost, 0)
          start, life = encode(new_units, new_tag, new_ahead, tags), digits(ttl)
        end
        if text then
          call("SET", key, start, "PX", life)
        elseif not call("SET", key, start, "PX", life, "NX") then
          return
        end
      end
      room = room - cost
      if reset <= longest then
        reply[position + offset] = room * base + reset
      else
        add(position, NEVER, room, reset)
        offset = extra
      end
    end
  end
  at = last + 1
end

local function decide_run(run)
  local limit, cost, last = run.limit, run.cost, run.first + (run.n > 0 and run.n or 1) - 1
  local is_plain = mode == "check" and run.n > 0 and limit.tags and cost > 0 and cost * limit.tags < 90000000
  local most = run.share and run.share.most -- a call that finds more units free is like one without a caller
  at = run.first
  while at <= last do
    if is_plain then pcall(decide_plain, limit, cost, run.keep, last, most) end
    if at <= last then
      decide = decide or make_decide()
      decide(run, at, charges)
      at = at + 1
    end
  end
end

-- All requests of a stack are judged first. If all of them pass, they are charged. If one cannot be charged, the next ones are
-- not charged.
local stack, start, refused = {}, 0, false
for _, run in ipairs(runs) do
  if not run.is_member then
    decide_run(run)
  else
    if #stack == 0 then start, refused = extra, false end
    decide = decide or make_decide()
    stack[#stack + 1] = run
    if not decide(run, run.first, false) then refused = true end
    if run.n == 1 then
      if charges and not refused then
        extra = start
        local charged = true
        for _, member in ipairs(stack) do charged = decide(member, member.first, charged) and charged end
      end
      stack = {}
    end
  end
end

local parts, size = {}, requests + extra
for first = 1, size, 4000 do
  local last = first + 3999 < size and first + 3999 or size
  parts[#parts + 1] = struct.pack("<" .. string.rep("d", last - first + 1), unpack(reply, first, last))
end
return table.concat(parts)
