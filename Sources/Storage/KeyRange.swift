import HoldfastBytes

/// A half-open range of keys: from `lower` up to but without `upper`.
public struct KeyRange: Equatable, Sendable {
    /// The first key of the range.
    public var lower: [UInt8]
    /// The first key after the range; nil if there is no bound.
    public var upper: [UInt8]?

    /// Creates the range `lower ..< upper`. A range with crossing bounds is empty.
    package init(lower: [UInt8], upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates the range of all keys that begin with `prefix`.
    package init(prefix: [UInt8]) {
        lower = prefix
        upper = KeyRange.successor(ofPrefix: prefix)
    }

    /// Returns the smallest key above every key that begins with `prefix`; nil if there is no such key.
    package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        var bytes = prefix
        while let last = bytes.last {
            if last < 0xFF {
                bytes[bytes.count - 1] = last + 1
                return bytes
            }
            bytes.removeLast()
        }
        return nil
    }

    package var isEmpty: Bool {
        withBounds { lower, upper in upper.map { compareKeys(lower, $0) >= 0 } ?? false }
    }

    /// Runs `body` with the bytes of both bounds.
    @inlinable public func withBounds<Result>(
        _ body: (_ lower: UnsafeRawBufferPointer, _ upper: UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        lower.withUnsafeBytes { lower in
            guard let upper else { return body(lower, nil) }
            return upper.withUnsafeBytes { body(lower, $0) }
        }
    }

    /// Returns the range of the keys that lie in both ranges; nil if there are no such keys.
    package func intersection(_ other: KeyRange) -> KeyRange? {
        let lower = self.lower.lexicographicallyPrecedes(other.lower) ? other.lower : self.lower
        var upper = self.upper ?? other.upper
        if let own = self.upper, let bound = other.upper, bound.lexicographicallyPrecedes(own) {
            upper = bound
        }
        let common = KeyRange(lower: lower, upper: upper)
        return common.isEmpty ? nil : common
    }

    /// Whether `key` lies in the range.
    package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        withBounds { lower, upper in
            compareKeys(lower, key) <= 0 && upper.map { compareKeys(key, $0) < 0 } ?? true
        }
    }
}
