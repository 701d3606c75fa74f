import HTTPServer
import ObjectStore

extension Headers {
    /// Adds `ETag: "<epoch>-<n>"`.
    mutating func addETag(_ version: StoreVersion) {
        Self.withText(version, isQuoted: true) { add(.etag, $0) }
    }

    /// Adds `Holdfast-Version: <epoch>-<n>`.
    mutating func addStoreVersion(_ version: StoreVersion) {
        Self.withText(version, isQuoted: false) { add(.holdfastVersion, $0) }
    }

    /// The text of a version, made on the stack.
    private static func withText(
        _ version: StoreVersion, isQuoted: Bool, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { text in
            var count = 0
            func emit(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            if isQuoted { emit(UInt8(ascii: "\"")) }
            StoreVersion.writeEpoch(version.epoch, emit)
            emit(UInt8(ascii: "-"))
            var divisor: UInt64 = 1
            while version.number / divisor >= 10 { divisor *= 10 }
            while divisor > 0 {
                emit(UInt8(48 + version.number / divisor % 10))
                divisor /= 10
            }
            if isQuoted { emit(UInt8(ascii: "\"")) }
            body(UnsafeBufferPointer(rebasing: text[..<count]))
        }
    }
}
