-- any_slot: stands before an unchanged `decide`, so that one call decides about keys of several slots of a cluster's node.
--
-- A node of a cluster accepts only declared keys of one slot, but a script without a shebang may touch undeclared keys of
-- all slots that the node serves. The client sends this script only to nodes that have shown that they permit it.
--
-- KEYS     none.
-- ARGV     the number of keys, the keys, then the arguments of decide.lua. Each key is read by a separate command, because
--          no command reads keys of several slots.
-- Reply    as decide.lua. A key that is not on this node, or whose slot is being moved, or that the user may not read,
--          counts as foreign. The client sends such a request again by itself with its key declared, and is redirected, or
--          receives the error that concerns it.
-- Errors   as decide.lua.
local KEYS, ARGV, redis = (function(arguments, redis)
  local number = arguments[1] + 0
  local keys, rest = {}, {}
  for at = 1, number do keys[at] = arguments[at + 1] end
  for at = number + 2, #arguments do rest[at - number - 1] = arguments[at] end

  -- Redis 7 says `non local key`, `same slot`, `can't access at least one of the keys` and `can't run this command`; other
  -- versions say `permission`. Such a command has done nothing.
  local function pcall(...)
    local reply = redis.pcall(...)
    local problem = type(reply) == "table" and reply.err
    if problem and (string.find(problem, "non local", 1, true) or string.find(problem, "same slot", 1, true)
      or string.find(problem, "can't ", 1, true) or string.find(problem, "permission", 1, true)) then
      return { err = "WRONGTYPE of a key elsewhere" }
    end
    return reply
  end
  return keys, rest, { call = redis.call, pcall = pcall }
end)(ARGV, redis)
