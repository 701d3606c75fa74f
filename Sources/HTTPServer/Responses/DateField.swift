import Bytes
import Glibc

/// The field `Date` of replies (RFC 9110, section 6.6.1), formatted once a second. One thread.
struct DateField {
    private var second: time_t = 0
    private var text: [UInt8] = []

    /// Appends the line for now.
    mutating func append(to buffer: ByteBuffer) {
        let now = time(nil)
        if now != second {
            second = now
            format(now)
        }
        buffer.append(text)
    }

    private mutating func format(_ now: time_t) {
        var seconds = now
        var parts = tm()
        gmtime_r(&seconds, &parts)
        text.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return }
            // The program keeps the C locale, whose names are those of the RFC.
            let count = strftime(
                start, buffer.count, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts)
            text.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}
