-- any_slot_probe: finds out whether a server permits scripts to access undeclared keys of several slots.
--
-- KEYS     none.
-- ARGV     keys of different slots that the node serves.
-- Reply    1: the server permits it. 0: the server does not permit it. -1: unknown, because a key is not on this node, the
--          cluster is down, or the user has no permission for a key or command.
-- Errors   none.
for _, key in ipairs(ARGV) do
  local reply = redis.pcall("GET", key)
  local problem = type(reply) == "table" and reply.err
  -- WRONGTYPE is not a refusal: the key may hold a list, which GET cannot read.
  if problem and not string.find(problem, "WRONGTYPE", 1, true) then
    local passes = string.find(problem, "non local", 1, true) or string.find(problem, "cluster is down", 1, true)
      or string.find(problem, "can't ", 1, true) or string.find(problem, "permission", 1, true)
    return passes and -1 or 0
  end
end
return 1
