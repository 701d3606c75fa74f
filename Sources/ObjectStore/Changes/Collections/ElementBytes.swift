import HoldfastBytes

/// The stored bytes of an element, or of a map's key, as a key of tables; nil is null. Valid while the transaction is open
/// that they were read in.
struct ElementBytes: Hashable {
    var bytes: UnsafeRawBufferPointer?

    init(_ bytes: UnsafeRawBufferPointer?) { self.bytes = bytes }

    static func == (a: ElementBytes, b: ElementBytes) -> Bool {
        guard let x = a.bytes, let y = b.bytes else { return a.bytes == nil && b.bytes == nil }
        // What has not changed between two transactions often lies in one place.
        return x.count == y.count && (x.baseAddress == y.baseAddress || compareKeys(x, y) == 0)
    }

    func hash(into hasher: inout Hasher) {
        if let bytes { hasher.combine(bytes: bytes) }
    }
}
