extension Request {
    /// The longest `X-Request-Id` that is taken over.
    static let requestIDByteCountMax = 128

    /// Takes the client's id if it is sane, else makes one: twelve hexadecimal digits of the
    /// connection and the number of the request on it, so that lines of one connection are seen
    /// to belong together.
    func decideRequestID() {
        requestIDText = header(.requestID).flatMap { Request.isSane($0) ? $0 : nil }
    }

    private static func isSane(_ text: RequestText) -> Bool {
        guard text.count >= 1, text.count <= requestIDByteCountMax else { return false }
        return text.bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
    }

    /// Gives the id's bytes without an allocation.
    package func withRequestID<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let requestIDText { return body(requestIDText.bytes) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { buffer in
            var count = 0
            var shift = 44
            while shift >= 0 {
                let digit = UInt8(truncatingIfNeeded: connection.identity >> UInt64(shift) & 15)
                buffer[count] = digit < 10 ? 0x30 + digit : 0x57 + digit
                count += 1
                shift -= 4
            }
            buffer[count] = UInt8(ascii: "-")
            count += 1
            let start = count
            var rest = sequence
            repeat {
                buffer[count] = 0x30 + UInt8(rest % 10)
                rest /= 10
                count += 1
            } while rest > 0
            buffer[start..<count].reverse()
            return body(UnsafeBufferPointer(rebasing: buffer[0..<count]))
        }
    }
}
