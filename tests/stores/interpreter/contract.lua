-- contract: stands between the algorithms and the driver, and checks each charge. The reset time that `judge` has announced
-- must equal the reset time after the charge. The driver uses the announced time only for some charges, but this check covers
-- all charges that need not wait.
local plain = implement
implement = function(limit)
  plain(limit)
  local judge, charge = limit.judge, limit.charge
  if not limit.tags then return end
  limit.charge = function(units, tag, ahead, cost, wait)
    local new_units, new_tag, new_ahead, reset, ttl = charge(units, tag, ahead, cost, wait)
    local now, _, announced = judge(units, tag, ahead, cost)
    assert(wait > 0 or now > 0 or announced == reset, "another reset after the charge")
    return new_units, new_tag, new_ahead, reset, ttl
  end
end
