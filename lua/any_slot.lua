-- any_slot: stands before the unchanged text of `decide`, so that one call can decide about keys of several slots of a cluster's
-- node.
--
-- A cluster's node requires that all declared keys of a call belong to one slot. But most servers let a script without a shebang
-- read and write undeclared keys of all slots that the node serves. The client first asks a node whether it permits this
-- (any_slot_probe.lua), and sends this script only if it does.
--
-- KEYS     none.
-- ARGV     the number of keys, the keys, then the arguments of decide.lua. Each key is read by a separate command, because
--          no command reads keys of several slots.
-- Reply    the reply of decide.lua. A key counts as foreign if it is not on this node, if its slot is being moved, or if the
--          user may not read it. The client sends the request for such a key again, in a separate call that declares the key.
--          The server then redirects that call, or replies with the error that concerns this key.
-- Errors   the errors of decide.lua.
local KEYS, ARGV, redis = (function(arguments, redis)
  local number = arguments[1] + 0
  local keys, rest = {}, {}
  for at = 1, number do keys[at] = arguments[at + 1] end
  for at = number + 2, #arguments do rest[at - number - 1] = arguments[at] end

  -- Redis 7 says `non local key`, `same slot`, `can't access at least one of the keys` and `can't run this command`; other
  -- versions say `permission`. A command with such an error has changed nothing.
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
