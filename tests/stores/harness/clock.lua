-- clock: stands in front of an unchanged script and shadows `redis`, so that the script uses the test's clock.
--
-- The string `test:now` has the time in microseconds. The expiry of keys uses this time, rounded down to whole milliseconds.
-- `test:deadlines` has the time at which each key expires. `test:longest` has the longest TTL that was ever set. Keys have no
-- TTL in the server itself.
local redis = (function(server)
  local now_us = tonumber(server.call("GET", "test:now"))
  local now = math.floor(now_us / 1000)
  local function text(number) return string.format("%.0f", number) end

  -- Runs before each command on a key. Like the server, it removes the key if the key has expired: a key still exists in the
  -- millisecond of its deadline, but not later. Also removes the deadline of a key that was deleted or emptied.
  local function deadline(key)
    local at = tonumber(server.call("HGET", "test:deadlines", key) or nil)
    if not at then return nil end
    if at < now then server.call("DEL", key) end
    if server.call("EXISTS", key) == 1 then return at end
    server.call("HDEL", "test:deadlines", key)
  end

  local function expire(key, ms)
    ms = tonumber(ms)
    if not (ms % 1 == 0 and ms > 0) then error("not a TTL: " .. ms .. " of " .. key) end
    server.call("HSET", "test:deadlines", key, text(now + ms))
    if ms > tonumber(server.call("GET", "test:longest") or 0) then
      server.call("SET", "test:longest", text(ms))
    end
  end

  local own = {
    TIME = function()
      local seconds = math.floor(now_us / 1000000)
      return { text(seconds), text(now_us - seconds * 1000000) }
    end,
    PTTL = function(key)
      local at = deadline(key)
      if server.call("EXISTS", key) == 0 then return -2 end
      return at and at - now or -1
    end,
    PEXPIRE = function(key, ms, option)
      assert(not option, "options of PEXPIRE are unknown to old servers")
      deadline(key)
      if server.call("EXISTS", key) == 0 then return 0 end
      expire(key, ms)
      return 1
    end,
    MGET = function(...)
      local values = {}
      for i, key in ipairs({ ... }) do
        deadline(key)
        local value = server.pcall("GET", key)
        values[i] = type(value) == "string" and value or false
      end
      return values
    end,
    SET = function(key, value, px, ms, option)
      deadline(key)
      if px == "KEEPTTL" then return server.call("SET", key, value) end
      assert(px == "PX" and (not option or option == "NX"), "SET without a TTL")
      if option and server.call("EXISTS", key) == 1 then return false end
      local answer = server.call("SET", key, value)
      expire(key, ms)
      return answer
    end,
  }

  -- Commands that have the same effect under any clock. Before such a command, its key is removed if it has expired.
  local plain = [[ DECRBY DEL EXISTS GET HMGET HSET INCRBY LINDEX LLEN LPUSH LRANGE LREM LTRIM RPUSH TYPE ZADD ZCARD ZCOUNT ZRANGE
    ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYSCORE ZSCORE ]]

  local function through(command)
    return function(name, key, ...)
      if own[name] then return own[name](key, ...) end
      if not plain:find("%s" .. name .. "%s") then error("unknown to the test's clock: " .. name) end
      deadline(key)
      return command(name, key, ...)
    end
  end

  return setmetatable({ call = through(server.call), pcall = through(server.pcall) }, { __index = server })
end)(redis)
