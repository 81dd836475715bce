-- any_slot: stands around an unchanged `decide`, so that one call decides about keys of several slots of a cluster's node.
--
-- A node of a cluster accepts only declared keys of one slot, but a script without a shebang may touch undeclared keys of
-- all slots that the node serves. The client sends this script only to nodes that have shown that they permit it.
-- The part before the line of dashes precedes `decide`, the rest follows it.
--
-- KEYS     none.
-- ARGV     the number of keys, the keys, then the arguments of decide.lua.
-- Reply    as decide.lua. The four integers of a request that was not decided are -AGAIN, 0, 0, -AGAIN. Its key is not on
--          this node, or its slot is being moved, or the user has no permission for it. Nothing was written under that key.
--          The client sends the request again by itself with its key declared, and is redirected, or receives the error
--          that concerns it.
-- Errors   as decide.lua.
local KEYS, ARGV, elsewhere, redis = (function(arguments, real)
  local number = arguments[1] + 0
  local keys, rest, elsewhere = {}, {}, {}
  for at = 1, number do keys[at] = arguments[at + 1] end
  for at = number + 2, #arguments do rest[at - number - 1] = arguments[at] end

  -- What a command replies about a key that does not exist, so that the request runs to its end without effect.
  local absent = { PTTL = -2, GET = false, LINDEX = false, LLEN = 0, INCRBY = 0 }

  -- Such a command has done nothing. Redis 7 says `non local key`, `same slot`, `can't access at least one of the keys` and
  -- `can't run this command`; other versions say `permission`.
  local function is_refused(problem)
    return string.find(problem, "non local", 1, true) or string.find(problem, "same slot", 1, true)
      or string.find(problem, "can't ", 1, true) or string.find(problem, "permission", 1, true)
  end

  local function through(failed)
    return function(name, key, ...)
      if not key then return real.call(name) end
      if not elsewhere[key] then
        local reply = real.pcall(name, key, ...)
        if type(reply) ~= "table" or not reply.err then return reply end
        if not is_refused(reply.err) then return failed(reply, name, key, ...) end
        elsewhere[key] = true
      end
      return absent[name]
    end
  end

  local own = {
    -- Fails again, and the error ends the script.
    call = through(function(_, ...) return real.call(...) end),
    pcall = through(function(reply) return reply end),
  }
  return keys, rest, elsewhere, own
end)(ARGV, redis)

local reply = (function()
--------------------------------------------------------------------------------------------------------------------------
end)()

if next(elsewhere) then
  local AGAIN = 9007199254740992 -- 2^53, which no other number in a reply reaches
  local records, again = {}, struct.pack("<i8i8i8i8", -AGAIN, 0, 0, -AGAIN)
  for at, key in ipairs(KEYS) do
    records[at] = elsewhere[key] and again or string.sub(reply, at * 32 - 31, at * 32)
  end
  reply = table.concat(records)
end
return reply
