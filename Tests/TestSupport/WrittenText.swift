import Glibc
import Testing

/// The text that `body` has written to a descriptor, such as a log, up to 64 KiB. What it starts has ended with it.
package func written(_ body: (_ descriptor: Int32) throws -> Void) rethrows -> String {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    do {
        defer { close(ends[1]) }
        try body(ends[1])
    }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(ends[0], &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
}
