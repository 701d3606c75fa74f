import Glibc

/// The wall clock as `2026-01-31T12:00:00.123456Z` (RFC 3339), appended to `text`.
func appendTimestamp(to text: inout [UInt8]) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    digits(Int(parts.tm_year) + 1900, 4, &text)
    text.append(UInt8(ascii: "-"))
    digits(Int(parts.tm_mon) + 1, 2, &text)
    text.append(UInt8(ascii: "-"))
    digits(Int(parts.tm_mday), 2, &text)
    text.append(UInt8(ascii: "T"))
    digits(Int(parts.tm_hour), 2, &text)
    text.append(UInt8(ascii: ":"))
    digits(Int(parts.tm_min), 2, &text)
    text.append(UInt8(ascii: ":"))
    digits(Int(parts.tm_sec), 2, &text)
    text.append(UInt8(ascii: "."))
    digits(time.tv_nsec / 1000, 6, &text)
    text.append(UInt8(ascii: "Z"))
}

/// The wall clock as the value of `Date` (RFC 9110, section 5.6.7), appended to `text`.
func appendHTTPDate(to text: inout [UInt8]) {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
        guard let start = buffer.baseAddress else { return }
        // The program keeps the C locale, whose names are those of the RFC.
        let count = strftime(start, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        text.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    }
}

private func digits(_ value: Int, _ width: Int, _ text: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
        text.append(0x30 + UInt8(value / divisor % 10))
        divisor /= 10
    }
}
