import HoldfastObjectStore

extension StoreVersion {
    /// Hands over `<epoch>-<n>`, made on the stack: each reply has two of them. With `isQuoted` it
    /// stands between quotes, as in an entity tag and in JSON.
    package func withText(isQuoted: Bool, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        // Quotes, eight digits of the epoch, the hyphen and twenty digits at most.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
            var start = text.count
            func emit(_ byte: UInt8) {
                start -= 1
                text[start] = byte
            }
            if isQuoted { emit(UInt8(ascii: "\"")) }
            var rest = number
            repeat {
                emit(UInt8(truncatingIfNeeded: 48 + rest % 10))
                rest /= 10
            } while rest > 0
            emit(UInt8(ascii: "-"))
            rest = epoch
            for _ in 0..<8 {
                let digit = UInt8(truncatingIfNeeded: rest % 36)
                emit(digit < 10 ? 48 + digit : 87 + digit)
                rest /= 36
            }
            if isQuoted { emit(UInt8(ascii: "\"")) }
            body(UnsafeBufferPointer(rebasing: text[start...]))
        }
    }
}
