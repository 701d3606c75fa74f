-- GET of random objects: wrk … -s get.lua URL -- path=/v1/classes/Person/objects/{id} objects=100000 seed=1
-- `{id}` stands for a random number from 0 to objects - 1. A path without it is asked for as it is.
local here = debug.getinfo(1, "S").source:sub(2):match("^(.*/)") or "./"
local load = dofile(here .. "load.lua")

function init(arguments)
    local options = load.options(arguments)
    math.randomseed(tonumber(options.seed) or 1)
    local objects = tonumber(options.objects) or 1
    local before, after = options.path:match("^(.-){id}(.*)$")
    if before then
        local head = "GET " .. before
        local tail = after .. load.heading(options) .. "\r\n"
        request = function() return head .. math.random(0, objects - 1) .. tail end
    else
        local whole = "GET " .. options.path .. load.heading(options) .. "\r\n"
        request = function() return whole end
    end
end

done = load.report
