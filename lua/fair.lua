-- fair: the shares of the callers of one bucket. A caller that has had more than the average leaves some units to the others.
--
-- Idea     Nothing is counted while the bucket has enough units for everybody. When units are scarce, the script counts the use of
--          each caller. A caller whose use is above the average must leave units in the bucket: the more it has had, the more it
--          leaves, up to 15/16 of a full bucket. So its next call passes only if the others do not need these units. A caller at
--          or below the average leaves nothing, and passes if its cost is free. The judge of the bucket does not change: the units
--          that are left are added to `keep`. So the bound of the bucket does not change either.
--          Use is counted in rounds. A round ends when its units are 24 for each active caller. The use in the round before
--          fades as the current round proceeds. So a caller is compared with what the callers around it have had lately.
--          A new caller joins as if it had had the average.
-- State    Two hashes beside the key of the bucket: the key with `:fair-a` and with `:fair-b`. One is the current round, the other is
--          the round before. Each field is a caller, 16 digits of its hash. Its value is use:time, or use:time:older.
--            use     its use in this round, in sixtieths of a unit.
--            time    the start of the last window (of time_ms) in which it has asked, in ms.
--            older   for a caller that joined in this round, the use that it is assumed to have had in the round before.
--          The field # has eight numbers: the number of the round, the use of all callers in it and in the round before (which
--          includes older), the number of callers in the two rounds, the number of callers in this round, the start of the
--          last window, the number of callers that have asked in it, and the number of callers that asked in the window before.
--          The hash with the higher number of a round is the current one. If the bucket is full, the callers start afresh, and
--          both hashes are deleted. The same holds if no call has found units scarce for twice the period of the bucket plus 1 s
--          and one window. The hashes live 1 s longer than that.
-- Bound    A round has at most 1024 callers by themselves. Any further caller is counted together with others in one of 256 fields
--          `g00` to `gff`, by the end of its hash, until the round ends. Callers that share a field are like one caller.
-- Write    A refused call writes once in a window and once in a round, so that its caller is known as active.
-- Example  count = 20, time = 1 s, burst = 20, so a caller leaves at most 18 units. There are two callers, 20 units are used up,
--          and 2 units are free. Caller a has had 30 units in this round, and caller b 6 units. The average is 18, so a is
--          12 units above it, and b would need 24 to have had as much. a leaves min(18 * 30^2 / (30^2 + 8^2), 24) = 16 units, so its call
--          passes when 17 units are free. b leaves nothing, and passes now.
-- ARGV     extra has, after keep: /most/time_ms/callers. most: the most units that a caller leaves. time_ms: the length of a window,
--          which is not divided by a common divisor. callers: the hash of the caller of each request, 16 hexadecimal digits each.
-- Change   If the limit changes, the use stays, because it is in units. The next decision uses the new window.
local open_shares
if shares > 0 then
  local GRAINS, ROUND, KNEE, LARGE, CALLERS = 60, 1440, 480, 30720, 1024
  local match = string.match

  -- Returns the fields of a hash. Returns nil if the key holds a foreign value.
  local function read_hash(key, fields)
    local reply = try_call("HMGET", key, unpack(fields))
    if not reply.err then return reply end
    if find(reply.err, "WRONGTYPE", 1, true) then return nil end
    return call("HMGET", key, unpack(fields))
  end

  -- Opens the shares of the bucket of a run. If `is_full`, the bucket is full, so that the callers start afresh. Returns three functions:
  --   reserve(caller) -> left    the units that a call of this caller leaves to the others; nil if a hash is foreign
  --   note(passes, cost)         counts the call that `reserve` was called for
  --   save()                     writes what was noted
  function open_shares(run, is_full)
    local share, span = run.share, run.share.time_ms
    local window, life = NOW - NOW % span, 2 * run.limit.longest + 1000 + span
    local current, previous = share.current, share.previous
    local round, total, total_before, callers, fields, at, asked, asked_before = 0, 0, 0, 0, 0, 0, 0, 0
    local use, before, older, seen, changed, writes = {}, {}, {}, {}, {}, {}
    local is_read, field, own, past, is_new = false, nil, 0, 0, false

    local function forget()
      round, total, total_before, callers, fields, at, asked, asked_before = 0, 0, 0, 0, 0, 0, 0, 0
      use, before, older, seen = {}, {}, {}, {}
      writes[1], is_read = { "DEL", current, previous }, true
    end

    -- Reads these fields of both hashes. Returns whether they are not foreign.
    local function read(names)
      local new, old = read_hash(current, names), read_hash(previous, names)
      if not new or not old then return false end
      local is_first = names[1] == "#"
      if is_first and (old[1] and match(old[1], "^%d+") or 0) + 0 > (new[1] and match(new[1], "^%d+") or 0) + 0 then
        current, previous, new, old = previous, current, old, new
      end
      if is_first and new[1] then
        local a, b, c, d, e, f, g, h = match(new[1], "^(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+)$")
        if not a then return false end
        round, total, total_before, callers = a + 0, b + 0, c + 0, d + 0
        fields, at, asked, asked_before = e + 0, f + 0, g + 0, h + 0
      end
      for position = is_first and 2 or 1, #names do
        local name, value = names[position], new[position]
        if value then
          local units, time, rest = match(value, "^(%d+):(%d+):?(%d*)$")
          if not units then return false end
          use[name], seen[name], older[name] = units + 0, time + 0, rest ~= "" and rest + 0 or nil
        end
        value = old[position]
        if value then
          local units, time = match(value, "^(%d+):(%d+)")
          if not units then return false end
          before[name], seen[name] = units + 0, seen[name] or time + 0
        end
      end
      return true
    end

    -- Adds the fields that have changed to the writes.
    local function collect()
      local command = { "HSET", current }
      for name in pairs(changed) do
        local rest = older[name] and format(":%.0f", older[name]) or ""
        command[#command + 1], command[#command + 2] = name, format("%.0f:%.0f", use[name], seen[name]) .. rest
      end
      if #command > 2 then writes[#writes + 1] = command end
      changed = {}
    end

    -- Returns the units of a round.
    local function size()
      local active = asked > asked_before and asked or asked_before
      if active > callers then active = callers end
      return ROUND * (active > 1 and active or 1)
    end

    -- Ends the round if its units are used.
    local function roll()
      if callers == 0 or total < size() then return end
      collect()
      writes[#writes + 1] = { "DEL", previous }
      current, previous, round = previous, current, round + 1
      local asked_lately = {}
      for name in pairs(use) do asked_lately[name] = seen[name] end
      use, before, older, seen = {}, use, {}, asked_lately
      total_before, total, callers, fields = total, 0, fields, 0
    end

    -- Begins the window of the current time.
    local function begin_window()
      local last = at - at % span
      if last ~= window then asked_before, asked = last + span == window and asked or 0, 0 end
      at = window
    end

    local function reserve(caller)
      if not is_read then
        local names, known = { "#" }, {}
        for first = 1, #share.callers, 16 do
          local name = sub(share.callers, first, first + 15)
          if not known[name] then names[#names + 1], known[name] = name, true end
        end
        if not read(names) then return nil end
        is_read = true
        if callers > 0 and NOW - at > life then forget() end
      end
      begin_window()
      roll()
      field = caller
      if not use[caller] and fields >= CALLERS then
        field = "g" .. sub(caller, -2)
        if not use[field] and not before[field] and not read({ field }) then return nil end
      end
      local units = size()
      local left = total < units and units - total or 0
      is_new, own, past = not use[field] and not before[field], use[field] or 0, older[field] or before[field] or 0
      if is_new and callers > 0 then own, past = floor(total / callers), floor(total_before / callers) end
      local rest, all = past % units, total_before % units
      local had = own + (past - rest) / units * left + floor(rest * left / units)
      local sum = total + (total_before - all) / units * left + floor(all * left / units)
      local number = callers
      if is_new then number, sum = callers + 1, sum + had end
      local missing = ceil((number * had - sum) / GRAINS)
      if number < 2 or missing <= 0 then return 0 end
      local large = had < LARGE and had or LARGE
      local most = floor(floor(1024 * large * large / (large * large + KNEE * KNEE)) * share.most / 1024)
      if most > missing then most = missing end
      local room = run.limit.burst - run.cost - run.keep
      return most < room and most or room
    end

    local function note(passes, cost)
      if not field then return end
      local is_first = not seen[field] or seen[field] - seen[field] % span ~= window
      if passes or is_first or not use[field] then
        if is_first then asked, seen[field] = asked + 1, window end
        if is_new then
          use[field], older[field] = own, past > 0 and past or nil
          total, total_before, callers, fields = total + own, total_before + past, callers + 1, fields + 1
        elseif not use[field] then
          use[field], fields = 0, fields + 1
        end
        if passes then use[field], total = use[field] + cost * GRAINS, total + cost * GRAINS end
        changed[field] = true
      end
      field = nil
    end

    -- If the server refuses the first command, it refuses all of them.
    local function save()
      local is_changed = next(changed)
      if is_changed then
        collect()
        local command = writes[#writes]
        command[#command + 1], command[#command + 2] = "#", format("%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f",
          round, total, total_before, callers, fields, at, asked, asked_before)
      end
      for _, command in ipairs(writes) do
        if write(unpack(command)) == false then return end
      end
      if is_changed then
        local ttl = digits(life + 1000)
        call("PEXPIRE", current, ttl)
        call("PEXPIRE", previous, ttl)
      end
      writes = {}
    end

    if is_full then forget() end
    return reserve, note, save
  end
end

