import Glibc

/// Appends the wall clock as `2026-01-31T12:00:00.123456Z` (RFC 3339) to `text`.
func appendTimestamp(to text: inout [UInt8]) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    append("%Y-%m-%dT%H:%M:%S", time.tv_sec, to: &text)
    // The digit in front keeps leading zeros. It is removed below.
    text.append(contentsOf: ".\(1_000_000 + time.tv_nsec / 1000)Z".utf8)
    text.remove(at: text.count - 8)
}

/// Appends the wall clock as the value of `Date` (RFC 9110, section 5.6.7) to `text`.
func appendHTTPDate(to text: inout [UInt8]) {
    append("%a, %d %b %Y %H:%M:%S GMT", time(nil), to: &text)
}

/// Appends a time in a format of strftime(3). The program keeps the C locale, which has the RFC's names of days and months.
private func append(_ form: String, _ seconds: time_t, to text: inout [UInt8]) {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
        guard let start = buffer.baseAddress else { return }
        let count = strftime(start, buffer.count, form, &parts)
        text.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    }
}
