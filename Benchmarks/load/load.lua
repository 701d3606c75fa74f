-- What the load scripts share: options after `--` as name=value, and a report as one line of JSON.
-- Requests are put together by hand: wrk.format costs the load generator more than the rest.
local load = {}

function load.options(arguments)
    local options = {}
    for _, argument in ipairs(arguments) do
        local name, value = argument:match("^(%w+)=(.*)$")
        if name then options[name] = value end
    end
    return options
end

-- The end of the request line and the headers that every request has: with `token=…` among the options that brings one.
function load.heading(options)
    local token = options.token and "Authorization: Bearer " .. options.token .. "\r\n" or ""
    return " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n" .. token
end

function load.report(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '\nREPORT {"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"max_us":%d,"refused":%d,"broken":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end

return load
