-- clock: stands in front of the unchanged script and shadows `redis`, so that the test's clock rules.
--
-- The time is the string `test:now`, in ms; `test:deadlines` holds, per key, when it expires. Keys have no TTL in the
-- server itself.
local redis = (function(server)
  local now = server.call("GET", "test:now") + 0
  local text = function(number) return string.format("%.0f", number) end

  -- What the server does before each command: a key whose time has come is gone.
  local function deadline(key)
    local at = tonumber(server.call("HGET", "test:deadlines", key) or nil)
    if at and at <= now then
      server.call("DEL", key)
      server.call("HDEL", "test:deadlines", key)
      return nil
    end
    return at
  end

  local function expire(key, ms)
    server.call("HSET", "test:deadlines", key, text(now + ms))
  end

  local own = {
    PTTL = function(key)
      local at = deadline(key)
      if server.call("EXISTS", key) == 0 then return -2 end
      return at and at - now or -1
    end,
    PEXPIRE = function(key, ms)
      deadline(key)
      expire(key, ms)
      return server.call("EXISTS", key)
    end,
    SET = function(key, value, px, ms)
      assert(px == "PX" and tonumber(ms) > 0, "SET without a TTL")
      expire(key, ms)
      return server.call("SET", key, value)
    end,
  }

  local function through(command)
    return function(name, key, ...)
      if own[name] then return own[name](key, ...) end
      deadline(key)
      return command(name, key, ...)
    end
  end

  return setmetatable({ call = through(server.call), pcall = through(server.pcall) }, { __index = server })
end)(redis)
