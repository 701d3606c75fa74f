-- PUT of random objects: wrk … -s put.lua URL -- path=/v1/classes/Account/objects/{id} objects=100000 seed=1
-- Each body is new: a name among objects / 10, an age and a score by chance, so that both indexed
-- properties change and no write is a repetition, which a store may answer without writing.
local here = debug.getinfo(1, "S").source:sub(2):match("^(.*/)") or "./"
local load = dofile(here .. "load.lua")

local FIRST = { "James", "Mary", "Robert", "Linda", "John", "Susan", "Michael", "Karen", "Carlos", "Sofia", "Ingrid",
    "Pierre", "Hiro", "Olga", "Fatima", "Aoife" }
local LAST = { "Smith", "Johnson", "Garcia", "Miller", "Davis", "Anderson", "Moore", "Jackson", "Nielsen", "Dubois",
    "Tanaka", "Petrov", "Hassan", "Okafor", "Reyes", "Byrne" }

function init(arguments)
    local options = load.options(arguments)
    math.randomseed(tonumber(options.seed) or 1)
    local objects = tonumber(options.objects) or 1
    local names = math.max(1, math.floor(objects / 10))
    local before, after = options.path:match("^(.-){id}(.*)$")
    local head = "PUT " .. before
    local middle = after .. load.heading(options) .. "Content-Type: application/json\r\nContent-Length: "
    local random, format = math.random, string.format
    request = function()
        local id, name = random(0, objects - 1), random(0, names - 1)
        local body = format(
            '{"name":"%s %s %d","email":"user%d@mail%d.example.com","age":%d,"score":%.9f,"active":%s,'
                .. '"tags":["tag%02d","tag%02d"]}',
            FIRST[name % 16 + 1], LAST[math.floor(name / 16) % 16 + 1], name, id, random(0, 7), random(18, 89),
            random() * 100, random(0, 1) == 0 and "false" or "true", random(0, 49), random(0, 49))
        return head .. id .. middle .. #body .. "\r\n\r\n" .. body
    end
end

done = load.report
